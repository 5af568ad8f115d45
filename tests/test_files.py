"""Files are replaced whole, and stay what they are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from belote_env.files import replacing, write_atomically


def test_written_and_replaced(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, "é")
    assert path.read_bytes() == "é".encode()
    path.chmod(0o600)
    write_atomically(path, b"2")
    assert path.read_bytes() == b"2" and path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("1")
    link.symlink_to(path)
    write_atomically(link, "2")
    assert link.is_symlink() and path.read_text() == "2"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)


def test_standard_output_in_a_pipe_is_written_to():
    code = "from belote_env.files import write_atomically; write_atomically('/dev/stdout', 'through')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"through"


def test_nothing_is_left_behind(tmp_path):
    (tmp_path / "file").write_text("1")
    with pytest.raises(TypeError):
        write_atomically(tmp_path / "file", 3)
    with pytest.raises(RuntimeError), replacing(tmp_path / "file") as beside:
        beside.write_text("half")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["file"] and (tmp_path / "file").read_text() == "1"
