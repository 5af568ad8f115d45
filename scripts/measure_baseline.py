"""Measures what a double-dummy baseline of the cards would gain and prints the table of docs/evaluation.md.

The baseline is what perfect play with all hands open gives A's side above the other, on average over the contracts: of
the cheapest height in each denomination, or of the turned card by each taker. A regression takes off what it explains.

    python -m scripts.measure_baseline --deals 500
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

import numpy as np

from belote_env.game import Game
from belote_env.record import write_record
from belote_env.rules import Rules
from belote_env.solver import Position, Solver
from training.arena import play_all
from training.duplicate import Pairing, start_of

PAIRS = (("hard", "normal"), ("easy", "easy"))
GAMES = ("belote", "coinche")


def contracts(game: Game) -> Iterator[Game]:
    """Yield the deal at the start of the play under each contract of the baseline; ``game`` is played on."""
    turned = game.rules.auction == "turned"
    for _ in range(4 if turned else 1):
        bids = [call for call in game.legal_actions() if call.startswith(("take", "bid 80"))]
        for bid in bids:
            after = game.clone()
            after.step(bid)
            while after.phase == "auction":
                after.step("pass")
            while after.phase == "announce":
                after.step(after.legal_actions()[0])
            yield after
        game.step("pass")


def baselines(pairing: Pairing, number: int, solver: Solver) -> tuple[float, float]:
    """Return the mean over the contracts of what team 0 has above team 1, and the mean of its amount."""
    game = Game.from_record(write_record(pairing.rules, start_of(pairing, number), []))
    values = [solver.value(Position.from_state(one.state, one.rules)) for one in contracts(game)]
    return float(np.mean(values)), float(np.mean(np.abs(values)))


def gain(results: np.ndarray, *baselines: np.ndarray) -> float:
    """Return how many times as many results are worth as much as these with the baselines taken off.

    Args:
        results: shape ``(n,)``.
        baselines: each of the same shape.
    """
    columns = np.column_stack([np.ones(len(results)), *baselines])
    rest = results - columns @ np.linalg.lstsq(columns, results, rcond=None)[0]
    return float(results.var(ddof=1) / (rest @ rest / (len(results) - columns.shape[1])))


def interval(results: np.ndarray, *baselines: np.ndarray, samples: int = 1000) -> str:
    """Return the gain with its 95% bootstrap interval."""
    rng = np.random.default_rng(0)
    draws = rng.integers(len(results), size=(samples, len(results)))
    low, high = np.quantile([gain(results[d], *(one[d] for one in baselines)) for d in draws], (0.025, 0.975))
    return f"{gain(results, *baselines):.2f} × ({low:.2f} to {high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    print("| game | A, B | unpaired, by the baseline | duplicate, by the baseline | duplicate, by its amount |")
    print("|---|---|---:|---:|---:|")
    for game, pair in itertools.product(GAMES, PAIRS):
        pairing, solver = Pairing(pair, Rules.preset(game), 7), Solver()
        tables = np.array(
            [
                [deal.scores[0] - deal.scores[1] for (deal,) in outcome.tables]
                for outcome in play_all(pairing, range(args.deals), args.workers)
            ]
        )
        found = np.array([baselines(pairing, number, solver) for number in range(args.deals)])
        paired = tables.mean(axis=1)
        gains = (
            interval(tables[:, 0].astype(float), found[:, 0]),
            interval(paired, found[:, 0]),
            interval(paired, np.abs(found[:, 0]), found[:, 1]),
        )
        print(f"| `{game}` | {', '.join(pair)} | {' | '.join(gains)} |", flush=True)


if __name__ == "__main__":
    main()
