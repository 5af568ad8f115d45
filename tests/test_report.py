"""Grids as tables on a terminal, in Markdown and in HTML."""

from __future__ import annotations

import io

from rich.console import Console

from training.report import Grid

GRID = Grid("A [bold]title", ("agent", "a|b"), [("exec:[red] x", "1 < 2"), ("easy", "10")])


def test_terminal():
    console = Console(file=io.StringIO(), width=60)
    console.print(GRID.to_rich())
    title, header, first, second = console.file.getvalue().splitlines()
    assert title.strip() == "A [bold]title" and first.split() == ["exec:[red]", "x", "1", "<", "2"]
    # Numbers are aligned to the right.
    assert first.rstrip().endswith("1 < 2") and second.index("10") + 2 == first.index("1 < 2") + 5
    assert "a|b" in header


def test_markdown():
    assert GRID.to_markdown() == (
        "**A [bold]title**\n\n| agent | a\\|b |\n| --- | ---: |\n| exec:[red] x | 1 < 2 |\n| easy | 10 |\n"
    )


def test_html():
    page = GRID.to_html()
    assert "<td>1 &lt; 2</td>" in page and "<caption>A [bold]title</caption>" in page and page.count("<tr>") == 3
