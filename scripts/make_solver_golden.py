"""Writes tests/data/solved_deals.json, 200 solved deals: ``python scripts/make_solver_golden.py``.

The deals are drawn from a fixed seed over all denominations, scales and play options. Solved without counting masters,
so that the file also checks the bounds.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np

from belote_env.cards import CARDS, DENOMINATIONS, format_cards
from belote_env.files import write_atomically
from belote_env.rules import Rules
from belote_env.solver import Position, Solver

DEALS = 200
OPTIONS = [
    {"overtake_partner": overtake, "undertrump": undertrump, "partner_winning": partner}
    for overtake, undertrump, partner in product(
        (True, False), ("forced", "free"), ("free", "beat_if_trumping", "must_trump")
    )
]
PRESETS = ("coinche_plus", "contree", "coinche_scaled")


def solved_deals() -> list[dict]:
    random = np.random.default_rng(2024)
    solver = Solver(20, use_bounds=False)
    deals = []
    for number in range(DEALS):
        rules = Rules.preset(PRESETS[number // 6 % 3], **OPTIONS[number // 18 % len(OPTIONS)])
        hands = tuple(format_cards(sorted(map(int, hand))) for hand in random.permutation(32).reshape(4, 8))
        leader = int(random.integers(4))
        position = Position(hands, leader, DENOMINATIONS[number % 6], rules)
        cards = {CARDS[card]: value for card, value in solver.card_values(position).items()}
        deals.append(
            {
                "rules": rules.to_dict(),
                "denomination": DENOMINATIONS[number % 6],
                "leader": leader,
                "hands": hands,
                "value": solver.value(position),
                "cards": cards,
            }
        )
    return deals


if __name__ == "__main__":
    path = Path(__file__).parent.parent / "tests" / "data" / "solved_deals.json"
    path.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(deal) for deal in solved_deals())
    write_atomically(path, f'{{"deals": [\n{lines}\n]}}\n')
