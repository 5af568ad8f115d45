"""Compiled code on disk is forgotten when any source has changed.

Numba looks only at the file of the function that it loads: one that calls a function in another file, or uses its
constants, would go on with the old code after an update.
"""

from __future__ import annotations

from pathlib import Path

from belote_env.files import write_atomically

_STAMP = "sources.txt"
_COMPILED = (".nbi", ".nbc")


def forget_stale(root: Path, packages: tuple[str, ...]) -> None:
    """Delete what Numba compiled from the packages if their sources are not those of the last time.

    Args:
        root: folder that holds the packages.
        packages: names of folders in it. Nothing is done where they cannot be written to: Numba then keeps its files
            elsewhere.
    """
    sources = sorted(path for package in packages for path in (root / package).rglob("*.py"))
    stamp = "".join(f"{path.relative_to(root)} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in sources)
    kept = root / packages[0] / "__pycache__" / _STAMP
    try:
        if kept.read_text(encoding="utf-8") == stamp:
            return
    except OSError:
        pass
    try:
        for package in packages:
            for path in (root / package).rglob("__pycache__/*"):
                if path.suffix in _COMPILED:
                    path.unlink(missing_ok=True)
        kept.parent.mkdir(exist_ok=True)
        write_atomically(kept, stamp)
    except OSError:
        return
