"""Draw the picture of the table that the README shows: ``python scripts/make_pictures.py``."""

from __future__ import annotations

import argparse
from pathlib import Path

from PIL import Image

from belote_env.cards import parse_card
from belote_env.engine.layout import DENOMINATION, PLAYED
from belote_env.engine.tables import STRENGTH
from belote_env.game import Game
from belote_env.render import Scene, picture, scene

NAMES = ("You", "Marc", "Claire", "Paul")


def _longest_suit(hand: str) -> str:
    suits = [card[1] for card in hand.split()]
    return max("SHDC", key=suits.count)


def mid_play(seed: int, min_played: int = 12) -> Scene:
    """Return seat 0's view of a coinche deal in progress, when it is to act in a trick that others began."""
    game = Game("coinche", seed=seed)
    game.step("pass")
    game.step(f"bid 80{_longest_suit(game.hands[game.seat])}")
    game.step("pass")
    game.step(f"bid 90{_longest_suit(game.hands[game.seat])}")
    while game.phase == "auction":
        game.step("pass")
    while True:
        view = game.view()
        if game.seat == 0 and len(view.trick) >= 2 and view.state[PLAYED] >= min_played:
            break
        order = STRENGTH[view.state[DENOMINATION]]
        cards = [action for action in view.legal_actions if action.startswith("play")]
        game.step(max(cards, key=lambda action: order[parse_card(action[5:])]) if cards else view.legal[0])
    started = game.to_record() | {"scores": [340, 410]}
    return scene(Game.from_record(started, seed=seed).view(0), NAMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs" / "table.png")
    parser.add_argument("--seed", type=int, default=53)
    arguments = parser.parse_args()
    Image.fromarray(picture(mid_play(arguments.seed))).save(arguments.out, optimize=True)
    print(arguments.out)


if __name__ == "__main__":
    main()
