"""Fits the compiled rule players to the outcomes of whole deals, and writes their numbers into ``agents/``.

    python scripts/fit_players.py                                  # five rounds of 200,000 deals a preset
    python scripts/fit_players.py --rounds 1 --deals 5000 --out /tmp  # a quick look

The shipped numbers come from four rounds: two of ``--deals 60000``, then, after a change to how partners raise and with
the margins of raising and doubling set back, two of ``--deals 50000 --seed 7 --start`` the first two.

Policy iteration by regression. In each round deals are dealt, contracts come from the bidder of the round before (or
at random, so that every hand is seen), and each decision of the card play is tried with every legal card, the rest
played out by the card player of the round before, with the cards as they really lie: the regression averages over
what the player cannot see. The normal equations of each situation are summed in compiled code and solved at the end
of the round. The hand values are fitted to the same deals.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from agents import hand_value
from agents.call_policy import CAPOT_WORTH, DOUBLE, OPEN, RAISE, REDOUBLE, TAKE_FIRST, TAKE_SECOND
from agents.card_policy import (
    NUM_FACTS,
    NUM_KINDS,
    NUM_SITUATIONS,
    describe_card,
    kind_of_game,
    look_at_turn,
    situation,
)
from agents.easy import strength
from agents.rollout import FILES, Policy, choose, new_scratch, play_out
from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.jit import compiled
from belote_env.engine.kernel import legal_actions, start_match, step
from belote_env.engine.layout import (
    AUCTION,
    BELOTE_POINTS,
    BID,
    BID_TRICKS,
    DEAL_SCORES,
    DEALT,
    DENOMINATION,
    HANDS,
    LEADERS,
    NONE,
    NUM_ACTIONS,
    NUM_DENOMINATIONS,
    OVER,
    PASS,
    PHASE,
    PLAY,
    POINTS,
    RNG,
    SEAT,
    STATE_SIZE,
    TAKE,
    TAKER,
    TRICKS,
    TURNED,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import AUCTION_NONE, AUCTION_TRICKS, AUCTION_TURNED, R_AUCTION, R_DENOMINATIONS
from belote_env.engine.rng import random_below
from belote_env.rules import Rules

# Presets whose deals are used, by scoring.
PRESETS = ("coinche_plus", "encheres", "belote", "decouverte")


@compiled
def random_contract(s, r):
    """Bring the auction to a contract of a random seat in a random denomination, at the lowest bid."""
    taker = random_below(s, 4)
    denomination = random_below(s, NUM_DENOMINATIONS)
    while not r[R_DENOMINATIONS] >> denomination & 1:
        denomination = random_below(s, NUM_DENOMINATIONS)
    first = BID_TRICKS if r[R_AUCTION] == AUCTION_TRICKS else BID
    if r[R_AUCTION] == AUCTION_TURNED:
        for _ in range(4 if denomination != s[TURNED] >> 3 else 0):
            step(s, r, PASS)
        first = TAKE
    while s[SEAT] != taker:
        step(s, r, PASS)
    step(s, r, first + denomination)
    while s[PHASE] == AUCTION:
        step(s, r, PASS)


@compiled
def deal_to_play(s, r, policy, scratch, random_share):
    """Deal, and bid a contract by the policy or, in this many of 100 deals, at random; return the taker's hand.

    The hand is that on which he bid: eight cards, or five and the turned one.
    """
    while True:
        start_match(s, r)
        five = s[TURNED] != NONE
        hands = np.array([s[HANDS], s[HANDS + 1], s[HANDS + 2], s[HANDS + 3]])
        turned = 1 << s[TURNED] if five else 0
        if r[R_AUCTION] != AUCTION_NONE and random_below(s, 100) < random_share:
            random_contract(s, r)
        while s[PHASE] == AUCTION:
            step(s, r, choose(s, r, policy, scratch))
        if s[PHASE] != OVER:
            return (hands[s[TAKER]] if s[TAKER] != NONE else 0) | turned


@compiled
def outcome(s, r, team):
    """Return what the finished deal was worth to a team: its points, or tricks, above half."""
    tricks = kind_of_game(s, r) >= 3
    if tricks:
        last = 1 if s[LEADERS + 8] & 1 == team else -1
        return 0.5 * (s[TRICKS + team] - s[TRICKS + 1 - team] + last)
    return 0.5 * (s[POINTS + team] - s[POINTS + 1 - team])


@compiled
def collect_cards(s, r, policy, scratch, deals, explore, gram, moment, counts):
    """Add the decisions of ``deals`` deals to the normal equations; ``explore`` of 100 cards are random ones."""
    world = np.empty(STATE_SIZE, dtype=np.int64)
    facts = np.empty((8, NUM_FACTS))
    worth = np.empty(8)
    mean = np.empty(NUM_FACTS)
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    for _ in range(deals):
        deal_to_play(s, r, policy, scratch, 30)
        while s[PHASE] != OVER:
            count = legal_actions(s, r, ids)
            if s[PHASE] != PLAY or count == 1:
                step(s, r, choose(s, r, policy, scratch) if count > 1 else ids[0])
                continue
            seat = s[SEAT]
            look_at_turn(s, scratch.facts.turn)
            kind, where = kind_of_game(s, r), situation(s)
            mean[:] = 0.0
            average = 0.0
            for i in range(count):
                facts[i] = 0.0
                for j in range(describe_card(s, ids[i], scratch.facts)):
                    facts[i, scratch.facts.which[j]] = scratch.facts.amount[j]
            for i in range(count):
                copy_state(s, world)
                step(world, r, ids[i])
                play_out(world, r, policy, scratch)
                worth[i] = outcome(world, r, seat & 1)
                average += worth[i] / count
                for j in range(NUM_FACTS):
                    mean[j] += facts[i, j] / count
            for i in range(count):
                difference = worth[i] - average
                for j in range(NUM_FACTS):
                    x = facts[i, j] - mean[j]
                    if x != 0.0:
                        moment[kind, where, j] += x * difference
                        for k in range(NUM_FACTS):
                            gram[kind, where, j, k] += x * (facts[i, k] - mean[k])
            counts[kind, where] += 1
            card = choose(s, r, policy, scratch)
            step(s, r, ids[random_below(s, count)] if random_below(s, 100) < explore else card)


@compiled
def collect_hands(s, r, policy, scratch, deals, random_share, hands, contracts, worth):
    """Write for each deal the taker's hand as he bid, the hands of partner and opponents, denomination, outcome."""
    for i in range(deals):
        hands[i, 0] = deal_to_play(s, r, policy, scratch, random_share)
        for j in range(1, 4):
            hands[i, j] = s[DEALT + (s[TAKER] + j & 3)]
        contracts[i] = s[DENOMINATION]
        team = s[TAKER] & 1
        play_out(s, r, policy, scratch)
        # Points of the takers with their belotes, as the contract is judged.
        if kind_of_game(s, r) >= 3:
            worth[i] = outcome(s, r, team) + 4.5 + (1 if s[BELOTE_POINTS + team] else 0)
        else:
            worth[i] = s[POINTS + team] + s[BELOTE_POINTS + team]


def solve_weights(gram, moment, counts, old):
    """Return the weights of the normal equations, damped; situations that were not met keep the old ones."""
    weights = old.copy()
    for kind in range(NUM_KINDS):
        for where in range(NUM_SITUATIONS):
            if counts[kind, where] < 1000:
                continue
            ridge = 1e-4 * counts[kind, where] + 20.0
            weights[kind, where] = np.linalg.solve(gram[kind, where] + ridge * np.eye(NUM_FACTS), moment[kind, where])
    return weights


def _rows(hands: np.ndarray, contracts: np.ndarray) -> np.ndarray:
    """Return the column of the one-hot regression of each suit: shape ``(n, 4)``."""
    suits = np.stack([hands >> (8 * suit) & 0xFF for suit in range(4)], axis=1)
    row = np.empty_like(suits)
    trumps = np.array([bin(i).count("1") for i in range(256)])
    for i, denomination in enumerate(contracts):
        if denomination >= NO_TRUMPS:
            row[i] = hand_value.NO_TRUMPS_ROW if denomination == NO_TRUMPS else hand_value.ALL_TRUMPS_ROW
        else:
            row[i] = hand_value.PLAIN_ROW + min(trumps[suits[i, denomination]], 5)
            row[i, denomination] = hand_value.TRUMP_ROW
    return row * 256 + suits


def fit_table(hands, contracts, worth, ridge: float = 8.0) -> tuple[np.ndarray, float]:
    """Return the table of ridge regression, shrunk towards its row means, and the standard deviation of the rest."""
    size = hand_value.NUM_ROWS * 256
    columns = _rows(hands, contracts)
    table = np.zeros(size)
    rest_all = []
    for group in (contracts < NO_TRUMPS, contracts == NO_TRUMPS, contracts == ALL_TRUMPS):
        if not group.any():
            continue
        x, y = columns[group], worth[group]
        base = y.mean() / 4
        used, inverse = np.unique(x, return_inverse=True)
        inverse = inverse.reshape(x.shape)
        gram = np.zeros((len(used), len(used)))
        moment = np.zeros(len(used))
        for a in range(4):
            np.add.at(moment, inverse[:, a], y - 4 * base)
            for b in range(4):
                np.add.at(gram, (inverse[:, a], inverse[:, b]), 1.0)
        solution = np.linalg.solve(gram + ridge * np.eye(len(used)), moment)
        table[used] = solution + base
        rest_all.append(y - table[x].sum(axis=1))
    return table.reshape(hand_value.NUM_ROWS, 256), float(np.concatenate(rest_all).std())


def first_tables() -> np.ndarray:
    """Return hand values from the feelings of Easy, to begin with."""
    tables = np.zeros((hand_value.NUM_SETS, hand_value.NUM_ROLES, hand_value.NUM_ROWS, 256))
    for pattern in range(256):
        cards = [card for card in range(8) if pattern >> card & 1]
        empty = {d: strength([], d) for d in (0, 1, NO_TRUMPS, ALL_TRUMPS)}
        values = {d: strength(cards, d) - empty[d] for d in empty}
        own = tables[:, hand_value.TAKER_HAND]
        own[:, hand_value.TRUMP_ROW, pattern] = values[0] + empty[0]
        own[:, hand_value.PLAIN_ROW : hand_value.NO_TRUMPS_ROW, pattern] = values[1]
        own[:, hand_value.NO_TRUMPS_ROW, pattern] = values[NO_TRUMPS] + empty[NO_TRUMPS] / 4
        own[:, hand_value.ALL_TRUMPS_ROW, pattern] = values[ALL_TRUMPS] + empty[ALL_TRUMPS] / 4
    tables[hand_value.EIGHT_CARDS_TRICKS] /= 18
    return tables


def first_margins() -> np.ndarray:
    points = [15.0, 15.0, 15.0, 15.0, 150.0, 80.0, 80.0]
    return np.array([points, [value / 18 for value in points]])


def fit_cards(rules: dict[str, Rules], policy: Policy, deals: int, seed: int) -> np.ndarray:
    gram = np.zeros((NUM_KINDS, NUM_SITUATIONS, NUM_FACTS, NUM_FACTS))
    moment = np.zeros((NUM_KINDS, NUM_SITUATIONS, NUM_FACTS))
    counts = np.zeros((NUM_KINDS, NUM_SITUATIONS), dtype=np.int64)
    for i, one in enumerate(rules.values()):
        state = np.zeros(STATE_SIZE, dtype=np.int64)
        state[RNG] = seed + i
        collect_cards(state, one.vector, policy, new_scratch(), deals, 10, gram, moment, counts)
    return solve_weights(gram, moment, counts, policy.weights)


def _hands(rules: Rules, policy: Policy, deals: int, random_share: int, seed: int):
    hands = np.empty((deals, 4), dtype=np.int64)
    contracts = np.empty(deals, dtype=np.int64)
    worth = np.empty(deals)
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[RNG] = seed
    collect_hands(state, rules.vector, policy, new_scratch(), deals, random_share, hands, contracts, worth)
    return hands, contracts, worth


def fit_hands(rules: dict[str, Rules], policy: Policy, deals: int, seed: int) -> np.ndarray:
    """The taker's table from every contract; those of the others from contracts that were bid, after his hand."""
    tables = policy.tables.copy()
    for number, (preset, which) in enumerate(
        (
            ("coinche_plus", hand_value.EIGHT_CARDS),
            ("encheres", hand_value.EIGHT_CARDS_TRICKS),
            ("belote", hand_value.SIX_CARDS),
        )
    ):
        hands, contracts, worth = _hands(rules[preset], policy, deals, 70, seed + 10 * number)
        tables[which, hand_value.TAKER_HAND], rest = fit_table(hands[:, 0], contracts, worth)
        print(f"  {preset}: taker's hand leaves {rest:.2f}", end="")
        hands, contracts, worth = _hands(rules[preset], policy, deals, 0, seed + 10 * number + 5)
        # What remains once the mean of the bid contracts is taken away, so that an average hand is worth 0.
        for denominations in (contracts < NO_TRUMPS, contracts == NO_TRUMPS, contracts == ALL_TRUMPS):
            if denominations.any():
                worth[denominations] -= worth[denominations].mean()
        tables[which, hand_value.PARTNER_HAND], rest = fit_table(hands[:, 2], contracts, worth, 20.0)
        print(f", partner's {rest:.2f}", end="")
        both = np.concatenate([hands[:, 1], hands[:, 3]])
        tables[which, hand_value.OPPONENT_HAND], rest = fit_table(both, np.tile(contracts, 2), np.tile(worth, 2), 20.0)
        print(f", opponent's {rest:.2f}; {worth.std():.2f} in all")
    return tables


def points_between(rules: Rules, a: Policy, b: Policy, deals: int, seed: int) -> tuple[float, float]:
    """Return A's score minus B's a deal on duplicate deals, and half of its 95% interval."""
    differences = np.empty(deals)
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[RNG] = seed
    duplicate_scores(state, rules.vector, a, b, new_scratch(), differences)
    return float(differences.mean()), float(1.96 * differences.std() / np.sqrt(deals))


@compiled
def duplicate_scores(s, r, a, b, scratch, differences):
    world = np.empty(STATE_SIZE, dtype=np.int64)
    for i in range(len(differences)):
        start_match(s, r)
        total = 0
        for table in range(2):
            copy_state(s, world)
            while world[PHASE] != OVER:
                policy = a if world[SEAT] & 1 == table else b
                step(world, r, choose(world, r, policy, scratch))
            total += world[DEAL_SCORES + table] - world[DEAL_SCORES + 1 - table]
        differences[i] = 0.5 * total


def tune_margins(rules: dict[str, Rules], policy: Policy, deals: int, seed: int) -> np.ndarray:
    """Coordinate search: each margin in turn takes the value that beats the present one by the most."""
    margins = policy.margins.copy()
    searches = (
        ("coinche_plus", 0, (OPEN, RAISE, DOUBLE, REDOUBLE, CAPOT_WORTH), 5.0),
        ("belote", 0, (TAKE_FIRST, TAKE_SECOND), 4.0),
        ("encheres", 1, (OPEN, RAISE, DOUBLE, CAPOT_WORTH), 0.3),
    )
    for preset, row, entries, stride in searches:
        for entry in entries:
            for change in (4 * stride, -4 * stride, 2 * stride, -2 * stride, stride, -stride):
                tried = margins.copy()
                tried[row, entry] += change
                ours, theirs = policy._replace(margins=tried), policy._replace(margins=margins)
                gain, error = points_between(rules[preset], ours, theirs, deals, seed)
                if gain > error:
                    margins = tried
    return margins


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deals", type=int, default=200_000, help="a round and preset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="a folder with the numbers to begin with")
    parser.add_argument("--out", type=Path, default=Path("agents"))
    args = parser.parse_args()
    rules = {preset: Rules.preset(preset) for preset in PRESETS}
    policy = Policy(np.zeros((NUM_KINDS, NUM_SITUATIONS, NUM_FACTS)), first_tables(), first_margins())
    if args.start:
        policy = Policy(*(np.load(args.start / f"{name}.npy").astype(np.float64) for name in FILES))
    for number in range(args.rounds):
        start, before = time.perf_counter(), policy
        seed = args.seed + 1000 * number
        policy = policy._replace(weights=fit_cards(rules, policy, args.deals, seed))
        policy = policy._replace(tables=fit_hands(rules, policy, 2 * args.deals, seed + 100))
        policy = policy._replace(margins=tune_margins(rules, policy, args.deals // 4, seed + 200))
        print(f"round {number + 1}: {time.perf_counter() - start:.0f} s; against the round before:")
        for preset, one in rules.items():
            gain, error = points_between(one, policy, before, args.deals // 4, seed + 300)
            print(f"  {preset}: {gain:+.2f} ± {error:.2f}")
        print(f"  margins {np.round(policy.margins, 2).tolist()}", flush=True)
        for name, numbers in zip(FILES, policy, strict=True):
            np.save(args.out / f"{name}.npy", numbers.astype(np.float32))


if __name__ == "__main__":
    main()
