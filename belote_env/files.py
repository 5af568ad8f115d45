"""Writing files so that a kill at any moment leaves the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give the name of a file to write beside ``path``; in the end it is renamed into place, unless writing it failed.

    A link stays one, a file keeps its mode, and what is no regular file (a pipe, ``/dev/stdout``) is itself given.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield beside
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write ``content`` by :func:`replacing`; text is written as UTF-8."""
    data = content.encode() if isinstance(content, str) else content
    with replacing(path) as file:
        file.write_bytes(data)
