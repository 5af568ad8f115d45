"""Writes docs/levels.md from docs/levels.json, which ``measure_ladder`` and ``measure_parts`` write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.levels import CRAZY, HARD, NORMAL
from belote_env.files import write_atomically
from scripts.make_speed import table
from scripts.measure_ladder import GAMES, PAIRS, TIMED

DOCS = Path(__file__).parent.parent / "docs"

PAGE = """# The difficulty levels

This page is generated: `python -m scripts.make_levels` writes it from `docs/levels.json`, which
`python -m scripts.measure_ladder` and `python -m scripts.measure_parts` write.

| level | calls | cards |
|---|---|---|
| `easy` | by rough feel, with noise | three in ten without a thought |
| `normal` | the best of all bids over {normal.calls} imagined deals, as if everybody passed after it; no doubling | \
by the rules of the compiled player |
| `hard` | over {hard.calls} deals, weighed by what was bid, with the calls that will follow; doubles | \
over {hard.cards} such deals |
| `crazy` | over {crazy.calls} deals, each the pick of {crazy.candidates}; redoubles | \
over {crazy.cards}; the last {crazy.solve} cards are solved exactly |
| `rollouts:N`, `pimc:N` | as `normal` | over N uniform deals, played out by rule, or solved double dummy |

`crazy:10` imagines ten times its deals, `crazy:2s` thinks for two seconds about each decision; `Style` and `Budget`
(`agents/levels.py`, `agents/monte_carlo.py`) are for anything else.

## How they think

- **Worlds** (`agents/worlds.py`): the hidden cards drawn uniformly from all deals that agree with every void, missed
  overtrump, turned card, announced or shown declaration, belote called or not.
- **Inference** (`agents/inference.py`): worlds are resampled by how likely they make what the others bid and, for
  `crazy`, what they played, if they think like the rule player.
- **Rollouts** (`agents/rollout.py`): a world is played to its end by a rule player that is one compiled function. Its
  bids come from tables of what a hand is worth (`agents/hand_value.py`), its cards from a weighted sum of some forty
  facts (`agents/card_policy.py`). `scripts/fit_players.py` fits both by regression on the outcomes of whole deals, in
  rounds of policy iteration, with the cards as they really lie: the regression averages over what a player cannot see.
- **Exact ends** (`agents/endgame.py`): with few cards left, the [solver](solver.md) says how the points end, and the
  rules what they score.
- What is averaged is the *score* of the deal, so that a contract, a double and a declaration count for what they are.

A lucky bid out of dozens looks better than it is. So bids far above what the rule player would bid are left out, and
the others are valued on fresh worlds each time that poor ones are given up; before that, Normal overbid so much that it
lost to Easy.

## The ladder

Points a deal by which the first beats the second, with the 95% interval, on duplicate deals in teams of two
(`belote eval A B`, seed 0); in brackets the number of deals, each played twice.

{ladder}

## Time

Mean milliseconds of processor time a decision between two or more actions, in deals that an agent plays with itself,
on one core of a shared machine.

{times}

{parts}"""

PARTS = """## What each part gains

Points a deal, seed 1, with two fifths of the worlds of `crazy`. Where the interval holds 0, no gain is proven by so few
deals. Solving all but the first card takes several times as long, and is not a part of `crazy`.

{table}
"""


def _entry(result: dict[str, Any] | None) -> str:
    if result is None:
        return "–"
    low, high = result["ci95"]
    return f"{result['mean_difference']:+.1f} ± {(high - low) / 2:.1f} ({result['deals']:,})"


def _time(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds:.2f}"


def _parts(parts: dict[str, Any]) -> str:
    games = ("belote", "coinche_plus")
    played = list(dict.fromkeys(key.split(": ", 1)[1] for key in parts))
    return table(
        ["part", *games], [[part, *(_entry(parts.get(f"{game}: {part}")) for game in games)] for part in played]
    )


def page(figures: dict[str, dict[str, Any]]) -> str:
    """Return the page of what was measured."""
    pairs, times, parts = figures["pairs"], figures["milliseconds"], figures["parts"]
    return PAGE.format(
        normal=NORMAL.budget,
        hard=HARD.budget,
        crazy=CRAZY.budget,
        ladder=table(
            ["pair", *GAMES],
            [[f"{a} − {b}", *(_entry(pairs.get(f"{game}: {a} - {b}")) for game in GAMES)] for a, b, _ in PAIRS],
        ),
        times=table(
            ["agent", *GAMES],
            [[agent, *(_time(times.get(f"{game}: {agent}")) for game in GAMES)] for agent in TIMED],
        ),
        parts=PARTS.format(table=_parts(parts)) if parts else "",
    )


if __name__ == "__main__":
    figures = json.loads((DOCS / "levels.json").read_text(encoding="utf-8"))
    write_atomically(DOCS / "levels.md", page(figures))
