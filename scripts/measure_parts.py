"""Measures what each part of the strongest level gains (a style with it against one without) into docs/levels.json.

    python -m scripts.measure_parts
    python -m scripts.measure_parts --deals 20 --out /tmp/levels.json

The base is Crazy with two fifths of its worlds. Rows that the file already holds are not played again.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from agents.levels import CRAZY, MonteCarloAgent, Style
from agents.registry import register
from belote_env.rules import Rules
from scripts.measure_ladder import add, read
from training.arena import compare

BASE = CRAZY.times(0.4)


def changed(**changes: float) -> Style:
    return replace(BASE, budget=BASE.budget._replace(**changes))


PARTS = {
    "calls by Monte-Carlo, not by rule": (BASE, changed(calls=0)),
    "cards by Monte-Carlo, not by rule": (BASE, changed(cards=0, solve=0)),
    "worlds weighed by calls and cards": (BASE, changed(call_temper=0.0, card_temper=0.0, candidates=1)),
    "worlds weighed by the cards played": (BASE, changed(card_temper=0.0)),
    "the last five cards solved exactly": (BASE, changed(solve=0)),
    "all but the first card solved exactly": (changed(solve=7), BASE),
    "poor actions given up early": (BASE, changed(prune=False)),
    "four times the worlds for calls": (BASE, changed(calls=BASE.budget.calls // 4)),
    "four times the worlds for cards": (BASE, changed(cards=BASE.budget.cards // 4)),
}
"""What is measured: with and without."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", default=("belote", "coinche_plus"))
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("docs/levels.json"))
    args = parser.parse_args()
    for number, (part, styles) in enumerate(PARTS.items()):
        names = (f"with-{number}", f"without-{number}")
        for name, style in zip(names, styles, strict=True):
            register(name, partial(_player, style))
        for game in args.rules:
            key = f"{game}: {part}"
            if key in read(args.out)["parts"]:
                continue
            result = compare(names, Rules.preset(game), args.deals, args.seed)
            print(f"{key}: {result.mean_difference:+.2f} ± {result.half_width:.2f}, {result.seconds:.0f} s", flush=True)
            if result.interrupted:
                return
            add(args.out, "parts", key, result.to_dict())


def _player(style: Style, rules: Rules, seed: int) -> MonteCarloAgent:
    return MonteCarloAgent(rules, style, seed)


if __name__ == "__main__":
    main()
