"""Measures a shipped checkpoint against the levels and the plain searches into checkpoints/NAME/results.json.

    python -m scripts.measure_checkpoint belote
    python -m scripts.measure_checkpoint belote --against crazy --deals 2000 --workers 2 --store /tmp/results.sqlite

A result that the file already holds, for at least as many deals of the same weights, is not played again. With a store,
an interrupted measurement goes on where it was. ``python -m scripts.make_cards`` writes the model card.
"""

from __future__ import annotations

import argparse
import json
import time

from agents import checkpoint
from belote_env.files import write_atomically
from belote_env.warmup import warm_up
from training.arena import compare
from training.comparison import Comparison
from training.store import Store

RESULTS = "results.json"
AGAINST = ("easy", "normal", "hard", "crazy", "rollouts:400", "pimc:50")
TABLE, MATCH = "table", "match"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of a shipped checkpoint")
    parser.add_argument("--against", nargs="+", default=AGAINST)
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--protocol", choices=("team", TABLE), default="team")
    parser.add_argument("--match", action="store_true", help="matches instead of deals")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--store", help="a file of results to go on from, as for belote eval")
    args = parser.parse_args()
    policy = checkpoint.load(args.name)
    path = checkpoint.find(args.name) / RESULTS
    store = None if args.store is None else Store(args.store)
    warm_up()
    for rules in policy.rules:
        for opponent in args.against:
            key = " ".join([str(rules), opponent, args.protocol, MATCH if args.match else "deal"])
            found = read(path, policy.fingerprint).get(key, {"deals": 0})
            if found["deals"] >= args.deals:
                continue
            result = compare(
                (f"net:{args.name}", opponent),
                rules,
                args.deals,
                args.seed,
                protocol=args.protocol,
                match=args.match,
                workers=args.workers,
                store=store,
                report=Progress(key),
            )
            print(f"{key}: {result.mean_difference:+.2f} ± {result.half_width:.2f}, {result.seconds:.0f} s", flush=True)
            if result.deals > found["deals"]:
                results = {**read(path, policy.fingerprint), key: result.to_dict()}
                content = {"fingerprint": policy.fingerprint, "results": results}
                write_atomically(path, json.dumps(content, indent=1) + "\n")
            if result.interrupted:
                return


class Progress:
    """Tells the growing result once a minute."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.told = time.perf_counter()

    def __call__(self, result: Comparison) -> None:
        if result.deals > 1 and time.perf_counter() - self.told > 60:
            self.told = time.perf_counter()
            print(
                f"{self.key}: {result.deals} so far, {result.mean_difference:+.1f} ± {result.half_width:.1f}",
                flush=True,
            )


def read(path, fingerprint: str) -> dict:
    """Return the results in a file; none if they are of other weights."""
    content = json.loads(path.read_text()) if path.exists() else {}
    return content["results"] if content.get("fingerprint") == fingerprint else {}


if __name__ == "__main__":
    main()
