"""Writes docs/speed.md from docs/speed.json, which ``belote bench --json`` writes: ``python scripts/make_speed.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from belote_env.files import write_atomically

DOCS = Path(__file__).parent.parent / "docs"

PAGE = """# Speed

This page is generated: `python scripts/make_speed.py` writes it from `docs/speed.json`, which `belote bench` writes.

Measured on {date} on two cores of a shared cloud machine ({processor}, Python {python}, NumPy {numpy}, Numba {numba})
by `belote bench --seconds {seconds:g} --peers --json docs/speed.json --plot docs/speed.png`: the quietest of several
runs. Every rate is the median of fifteen slices of its time. Others use the machine too: figures of one core vary by a
tenth between runs, those that need both cores by up to a half.

The loops of environments play `{rules}` with uniformly random actions. `bytes` is the full observation with masks,
`packed` the same with its flags as bits, `floats` the same divided by `SCALE`; the time to choose the actions is not
counted.

{rows}

![Steps a second by number of games and threads](speed.png)

The plot was drawn at another moment than the table: where they disagree, the machine was busier in one of them.

## Where the time of a step goes

On one core, with 1,024 games, which stay in the cache; with 8,192 they come from memory. Each part runs alone over all
games. A whole step takes less than act, mask and observation, because it fetches the state of the next game while it
works on one; the parts of an observation take less than it, because they find what it has called into the cache.

{profile}

## Beside other libraries

The same kind of loop, uniformly random legal actions, measured in the same run. Other games are other work: euchre is
the nearest relative there, leduc hold'em is a game of six cards. OpenSpiel's C++ loop is its `evaluate_bots` between
its own random bots, without observations, as our engine loop is; the Python loops stand beside our AEC loop, the
batched ones beside our vector environment. The last columns say how many times faster ours are.

{peers}
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table whose columns but the first are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(figures: dict[str, Any]) -> str:
    """Return the page of the figures that ``belote bench`` measured."""
    ours = list(figures["peers"][0]["ratios"])
    return PAGE.format(
        **figures["machine"],
        seconds=figures["seconds"],
        rules=figures["rules"],
        rows=table(
            ["what", "rate", "unit"], [[row["name"], f"{row['value']:,.0f}", row["unit"]] for row in figures["rows"]]
        ),
        profile=table(
            ["part", "ns"],
            [[row["name"].replace("  ", "– "), f"{row['value']:.0f}"] for row in figures["profile"]],
        ),
        peers=table(
            ["peer", "steps/s", *(f"our {name}" for name in ours)],
            [
                [peer["name"], f"{peer['value']:,.0f}", *(f"{peer['ratios'][name]:,.2f}×" for name in ours)]
                for peer in figures["peers"]
            ],
        ),
    )


if __name__ == "__main__":
    write_atomically(DOCS / "speed.md", page(json.loads((DOCS / "speed.json").read_text(encoding="utf-8"))))
