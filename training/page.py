"""A folder that shows comparisons: one HTML page with everything in it, the same as Markdown, and the pictures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from belote_env.files import write_atomically
from training import plots
from training.comparison import Comparison
from training.rating import Rating
from training.report import by_rules, difference, grids

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; margin: 2rem 0; font-variant-numeric: tabular-nums; }}
caption {{ font-weight: bold; text-align: left; padding: 0.3rem 0; }}
th, td {{ padding: 0.2rem 0.8rem; text-align: right; border-bottom: 1px solid #ccc; }}
th:first-child, td:first-child {{ text-align: left; }}
img {{ max-width: 100%; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{headline}</p>
{body}</body>
</html>
"""


def write_page(folder: Path, results: Sequence[Comparison], rated: Sequence[Sequence[Rating]] = ()) -> None:
    """Write ``index.html``, ``report.md`` and the plots as PNG into a folder, which is made if it is not there.

    Args:
        folder: where to.
        results: comparisons by the same protocol.
        rated: ratings for each rule set of the results, in their order, if they were asked for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for group, ratings in zip(by_rules(results), rated, strict=False):
        name = group[0].pairing.rules.base
        pictures[f"ladder-{name}.png"] = plots.png(plots.ladder(ratings))
        pictures[f"time-{name}.png"] = plots.png(plots.strength_against_time(group, ratings))
    if len(results) == 1:
        pictures["contracts.png"] = plots.png(plots.points_by_contract(results[0]))
    for name, picture in pictures.items():
        (folder / name).write_bytes(picture)
    tables = grids(results, rated)
    title = " – ".join(dict.fromkeys(agent for result in results for agent in result.pairing.agents))
    text = "\n".join([f"# {title}\n", *(grid.to_markdown() for grid in tables), *(f"![]({n})" for n in pictures)])
    write_atomically(folder / "report.md", text + "\n")
    shown = (
        f'<p><img alt="{n}" src="data:image/png;base64,{base64.b64encode(p).decode()}"></p>\n'
        for n, p in pictures.items()
    )
    body = "".join([*shown, *(grid.to_html() for grid in tables)])
    page = _PAGE.format(title=escape(title), headline=escape(_headline(results)), body=body)
    write_atomically(folder / "index.html", page)


def _headline(results: Sequence[Comparison]) -> str:
    if len(results) > 1:
        return "± and intervals are 95% confidence intervals of paired differences."
    a, b = results[0].pairing.agents
    unit = results[0].pairing.unit
    return (
        f"{a} against {b}: {difference(results[0])} points a {unit} (95% confidence interval of the paired difference)."
    )
