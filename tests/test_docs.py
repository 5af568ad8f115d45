"""What the pages show in Python runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("page", ["README.md", "docs/solver.md"])
def test_snippets_run(page):
    """One after another, as a reader types them in."""
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    for snippet in snippets:
        exec(snippet, names)
    assert snippets
