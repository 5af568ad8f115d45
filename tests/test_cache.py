"""Compiled code goes when a source has changed, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from belote_env.engine.cache import forget_stale


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for package in ("one", "two/inner"):
        (tmp_path / package / "__pycache__").mkdir(parents=True)
        (tmp_path / package / "code.py").write_text("x = 1\n", encoding="utf-8")
    compile_all(tmp_path)
    return tmp_path


def compile_all(root: Path) -> None:
    for folder in root.rglob("__pycache__"):
        for name in ("code.f-1.nbi", "code.f-1.1.nbc", "code.pyc"):
            (folder / name).write_text("compiled", encoding="utf-8")


def compiled(root: Path) -> int:
    return len(list(root.rglob("*.nb?")))


def test_forgets_when_a_source_changes(root):
    packages = ("one", "two")
    forget_stale(root, packages)
    assert compiled(root) == 0 and len(list(root.rglob("*.pyc"))) == 2
    compile_all(root)
    forget_stale(root, packages)
    assert compiled(root) == 4
    (root / "two/inner/code.py").write_text("x = 22\n", encoding="utf-8")
    forget_stale(root, packages)
    assert compiled(root) == 0
    compile_all(root)
    (root / "one/new.py").write_text("", encoding="utf-8")
    forget_stale(root, packages)
    assert compiled(root) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_leaves_a_folder_that_it_cannot_write_to(root):
    (root / "one/__pycache__").chmod(0o500)
    forget_stale(root, ("one", "two"))
