"""Writing files so that a kill at any moment leaves the old file or the new one, never half of one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write ``content`` beside ``path``, then rename it into place; text is written as UTF-8.

    A link stays one, a file keeps its mode, and what is no regular file (a pipe, ``/dev/stdout``) is written to.
    """
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
