"""Writing files so that a kill at any moment leaves the old file or the new one, never half of one."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write ``content`` beside ``path``, then rename it into place; text is written as UTF-8."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
