"""Measures what duplicate deals gain over unpaired ones and prints the table of docs/evaluation.md.

python scripts/measure_duplicate.py --deals 1000
"""

from __future__ import annotations

import argparse
import statistics

from belote_env.rules import Rules
from training.arena import play_all
from training.duplicate import Pairing

PAIRS = (("easy", "easy"), ("normal", "easy"), ("hard", "normal"))
GAMES = ("belote", "coinche")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    print("| game | A, B | single table, standard deviation | ± unpaired | ± duplicate | worth, in unpaired deals |")
    print("|---|---|---:|---:|---:|---:|")
    for game in GAMES:
        for pair in PAIRS:
            tables: list[list[int]] = []
            for outcome in play_all(Pairing(pair, Rules.preset(game), 7), range(args.deals), args.workers):
                tables.append([deal.scores[0] - deal.scores[1] for (deal,) in outcome.tables])
            # As many deals in both designs: two tables with the same cards, or with cards of their own.
            single = statistics.pstdev([difference for table in tables for difference in table])
            unpaired = 1.96 * single / (2 * args.deals) ** 0.5
            duplicate = 1.96 * statistics.stdev([statistics.mean(table) for table in tables]) / args.deals**0.5
            gain = (unpaired / duplicate) ** 2
            print(
                f"| `{game}` | {', '.join(pair)} | {single:.0f} | {unpaired:.1f} | {duplicate:.1f} | {gain:.1f} × |",
                flush=True,
            )


if __name__ == "__main__":
    main()
