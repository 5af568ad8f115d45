"""Measures what players' cards lose by the values of a Monte-Carlo player with very many worlds: a quick yardstick.

    python -m scripts.measure_regret hard net:belote --rules belote

Duplicate deals say who is stronger, and take thousands of deals to say it; this takes minutes, but only says how near a
player comes to what the levels and the distillation aim at. Decisions come from deals that Normal plays with itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from agents.endgame import ENDING
from agents.registry import make
from agents.teacher import TEACHER, action_values
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.view import View
from belote_env.warmup import warm_up
from training.intervals import NORMAL_95


def decisions(rules: Rules, most: int, share: float, rng: np.random.Generator) -> Iterator[tuple[View, np.ndarray]]:
    """Yield some of the cards to be chosen in deal after deal, as the seat's view and the whole state, without end.

    Args:
        rules: of the deals.
        most: cards in hand.
        share: of the decisions.
        rng: chooses deals and decisions.
    """
    while True:
        game = Game(rules, seed=int(rng.integers(1 << 40)))
        players = [make("normal", rules, int(rng.integers(1 << 40))) for _ in range(4)]
        while not game.deal_over:
            view = game.view(game.seat)
            if game.phase == "play" and len(view.legal) > 1 and len(view.hand) <= most and rng.random() < share:
                yield view, game.state.copy()
            game.step(players[game.seat].act(view))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="anything that belote eval takes")
    parser.add_argument("--rules", default="belote")
    parser.add_argument("--decisions", type=int, default=2000)
    parser.add_argument("--worlds", type=int, default=600, help="for each decision")
    parser.add_argument("--last-cards", action="store_true", help=f"the last {ENDING} only, by worlds solved exactly")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rules = Rules.of(args.rules)
    try:
        players = {name: make(name, rules, args.seed) for name in args.agents}
    except ValueError as error:
        parser.error(str(error))
    warm_up()
    rng = np.random.default_rng(args.seed)
    stream = decisions(rules, ENDING if args.last_cards else 8, 0.25, rng)
    views, states = zip(*(next(stream) for _ in range(args.decisions)), strict=True)
    budget = TEACHER._replace(cards=args.worlds, solve=ENDING if args.last_cards else 0)
    values = action_values(np.stack(states), rules, budget, args.seed)
    best = np.nanmax(values, axis=1)
    for name, player in players.items():
        lost = best - values[np.arange(len(views)), [player.act(view) for view in views]]
        print(f"{name}: {lost.mean():.2f} ± {NORMAL_95 * lost.std() / len(lost) ** 0.5:.2f} points a card")


if __name__ == "__main__":
    main()
