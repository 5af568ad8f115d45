"""Measures the ladder of difficulty levels into docs/levels.json, from which ``make_levels`` writes docs/levels.md.

    python -m scripts.measure_ladder                           # all games and pairs
    python -m scripts.measure_ladder --rules belote --deals 50 --out /tmp/levels.json
    python -m scripts.measure_ladder --rules belote --deals 2000 --pair crazy rollouts:400

Each pair plays duplicate deals in teams of two. A pair that the file already holds, for at least as many deals, is not
played again: delete the file to begin anew.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from agents.registry import make
from belote_env.files import write_atomically
from belote_env.game import Game
from belote_env.rules import Rules
from training.arena import compare
from training.store import Store

GAMES = ("belote", "coinche", "coinche_plus")
PAIRS = (
    ("normal", "easy", 1.0),
    ("hard", "normal", 1.0),
    ("crazy", "hard", 1.0),
    ("crazy", "easy", 0.3),
    ("crazy", "rollouts:400", 0.4),
    ("crazy", "pimc:50", 0.15),
)
"""Who plays whom, and on what share of the deals."""

TIMED = ("easy", "normal", "hard", "crazy", "rollouts:400", "pimc:50")


def milliseconds(agent: str, rules: Rules, deals: int) -> float:
    """Return the mean processor time of a decision between two or more actions, in deals played with itself."""
    agents = [make(agent, rules, seat) for seat in range(4)]
    seconds, decisions = 0.0, 0
    for deal in range(deals + 1):
        game = Game(rules, seed=deal)
        while not game.deal_over:
            view = game.view()
            start = time.process_time()
            action = agents[view.seat].act(view)
            # The first deal only compiles and warms up.
            if deal and len(view.legal) > 1:
                seconds += time.process_time() - start
                decisions += 1
            game.step(action)
    return 1000 * seconds / decisions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", default=GAMES)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    parser.add_argument("--store", type=Path, help="a file of results to go on from, as for belote eval")
    parser.add_argument("--pair", nargs=2, metavar=("A", "B"), help="only these two, on all of the deals")
    parser.add_argument("--out", type=Path, default=Path("docs/levels.json"))
    args = parser.parse_args()
    store = None if args.store is None else Store(args.store)
    for game in args.rules:
        rules = Rules.preset(game)
        for a, b, share in PAIRS if args.pair is None else [(*args.pair, 1.0)]:
            deals = max(2, round(args.deals * share))
            key = f"{game}: {a} - {b}"
            if read(args.out)["pairs"].get(key, {"deals": 0})["deals"] >= deals:
                continue
            result = compare((a, b), rules, deals, args.seed, workers=args.workers, store=store)
            print(f"{key}: {result.mean_difference:+.2f} ± {result.half_width:.2f}, {result.seconds:.0f} s", flush=True)
            if result.interrupted:
                return
            add(args.out, "pairs", key, result.to_dict())
        for agent in TIMED if args.pair is None else ():
            key = f"{game}: {agent}"
            if key not in read(args.out)["milliseconds"]:
                add(args.out, "milliseconds", key, milliseconds(agent, rules, 2 if agent == "pimc:50" else 20))


def read(path: Path) -> dict:
    return json.loads(path.read_text()) if path.exists() else {"pairs": {}, "milliseconds": {}, "parts": {}}


def add(path: Path, part: str, key: str, value: object) -> None:
    content = read(path)
    content[part][key] = value
    write_atomically(str(path), json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
