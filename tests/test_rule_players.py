"""The compiled rule players: what a hand is worth to them, how they bid and play, what they infer from the others."""

from __future__ import annotations

import numpy as np
import pytest

from agents.hand_value import EIGHT_CARDS, NUM_ROLES, NUM_ROWS, NUM_SETS, OPPONENT_HAND, PARTNER_HAND, TAKER_HAND
from agents.monte_carlo import Budget, choose_by_rule, draw_worlds, new_memory
from agents.rollout import new_scratch, play_out, shipped_policy, silent_policy
from agents.worlds import Worlds, plan_memory, prepare
from belote_env import Game, Rules
from belote_env.actions import ACTIONS
from belote_env.cards import parse_cards
from belote_env.engine.layout import (
    DEAL_SCORES,
    DEALT,
    HANDS,
    OVER,
    PHASE,
    PLAYED,
    RNG,
    STATE_SIZE,
)
from belote_env.view import View

PRESETS = Rules.presets()


def generator(seed: int) -> np.ndarray:
    rng = np.zeros(STATE_SIZE, dtype=np.int64)
    rng[RNG] = seed
    return rng


def by_rule(view: View) -> str:
    memory = new_memory(Budget(calls=1, cards=1))
    action = choose_by_rule(
        view.state, view.rules.vector, view.seat, shipped_policy(), plan_memory(), generator(1), memory
    )
    return ACTIONS[action]


def worth(cards: str, denomination: int, role: int = TAKER_HAND) -> float:
    """Return the value of a hand, summed from the table as its description says."""
    table = shipped_policy().tables[EIGHT_CARDS, role]
    suits = [sum(1 << card % 8 for card in parse_cards(cards) if card // 8 == suit) for suit in range(4)]
    trumps = min(bin(suits[denomination]).count("1"), 5)
    return float(sum(table[0 if suit == denomination else 1 + trumps, held] for suit, held in enumerate(suits)))


def record(preset: str, dealer: int, hands: list[str], actions: list[str]) -> Game:
    return Game.from_record(
        {
            "format": "belote-deal/1",
            "rules": {"preset": preset, "options": {}},
            "dealer": dealer,
            "hands": hands,
            "actions": actions,
        }
    )


def test_shipped_numbers():
    policy = shipped_policy()
    assert policy.tables.shape == (NUM_SETS, NUM_ROLES, NUM_ROWS, 256)
    for numbers in policy:
        assert np.isfinite(numbers).all() and not numbers.flags.writeable


def test_hand_values():
    strong, weak = "JS 9S AS TS AH TH AD 7C", "7S 8S 7H 8H 9H 7D 8D 9C"
    assert worth(strong, 0) > 130 > 60 > worth(weak, 0)
    assert worth(strong, 0) > worth(strong, 3) + 60
    # The takers are better off with a strong partner and worse off with a strong opponent.
    assert worth(strong, 0, PARTNER_HAND) > 10 > -10 > worth(strong, 0, OPPONENT_HAND)


def test_bids_what_it_holds_and_raises_its_partner():
    hands = [
        "JS 9S AS TS AH TH AD 7C",
        "7S 8S 8H KC 8D 9D 8C 9C",
        "KS QS AC TC 7H 7D TD 9H",
        "JH QH KH JD QD KD JC QC",
    ]
    game = record("coinche", 3, hands, [])
    first = by_rule(game.view())
    assert first.startswith("bid ") and first.endswith("S") and first != "bid 80S"
    assert by_rule(record("coinche", 0, hands, []).view()) == "pass"
    hands = [
        "JS TS 8S 7S AH TH 7C 8C",
        "KC 8D 9D 9C QD 8H 7H QH",
        "9S AS KS QS AC TC AD 7D",
        "JH 9H KH JD TD KD JC QC",
    ]
    raised = by_rule(record("coinche", 3, hands, ["bid 80S", "pass"]).view())
    assert raised.endswith("S") and raised != "bid 80S"


def test_silent_policy_never_bids():
    for preset in ("belote", "coinche", "encheres"):
        game = Game(preset, seed=1)
        state = game.state
        for _ in range(20):
            play_out(state, game.rules.vector, silent_policy(), new_scratch())
            assert state[PHASE] == OVER and state[DEAL_SCORES] == state[DEAL_SCORES + 1] == 0
            game.new_match()
            state = game.state


@pytest.mark.parametrize("preset", PRESETS)
def test_plays_legally_and_from_what_it_knows(preset):
    """With the hidden cards dealt otherwise, a rule player does the same."""
    rules = Rules.preset(preset)
    game = Game(rules, seed=5)
    rng = np.random.default_rng(1)
    while not game.deal_over:
        view = game.view()
        action = by_rule(view)
        assert action in view.legal_actions
        other = View(rules, Worlds(view, seed=3).sample(1)[0], view.seat, view.legal)
        assert by_rule(other) == action
        game.step(view.legal_actions[int(rng.integers(len(view.legal)))])


@pytest.mark.parametrize(
    ("preset", "calls", "seat", "suit"),
    [("coinche", ["bid 110H"], 0, 1), ("encheres", ["bid 6H"], 0, 1), ("contree", ["pass", "bid 100D"], 1, 2)],
)
def test_bids_tell_of_trumps(preset, calls, seat, suit):
    rules = Rules.preset(preset)
    game = Game(rules, seed=3)
    while game.dealer != 3:
        game.new_match()
    for call in calls:
        game.step(call)
    view = game.view()
    held = {}
    for temper in (0.0, 1.0):
        budget = Budget(calls=300, cards=0, candidates=8, call_temper=temper)
        memory, plan = new_memory(budget), plan_memory()
        assert prepare(view.state, rules.vector, view.seat, plan)
        assert draw_worlds(
            view.state, rules.vector, view.seat, plan, generator(2), 300, budget, shipped_policy(), memory
        )
        hands = memory.worlds[memory.order[:300], DEALT + seat]
        held[temper] = np.mean([bin(int(hand) >> 8 * suit & 0xFF).count("1") for hand in hands])
    assert held[1.0] > held[0.0] + 0.8


@pytest.mark.parametrize(
    ("preset", "played", "deals", "weighed"),
    [("coinche_sans_annonces", 12, 25, {"card_temper": 1.0}), ("belote", 8, 100, {"call_temper": 1.0})],
)
def test_what_was_done_tells_of_the_hands(preset, played, deals, weighed):
    """Worlds weighed by the cards, or by takes and passes, of rule players have more of the true cards in place."""
    rules = Rules.preset(preset)
    gains = []
    for seed in range(deals):
        game = Game(rules, seed=seed)
        while game.phase != "play" or game.state[PLAYED] < played:
            game.step(by_rule(game.view()))
            if game.deal_over:
                game.new_match()
        view, state = game.view(), game.state
        hidden = [seat for seat in range(4) if seat != view.seat]
        right = {}
        for budget in (Budget(calls=0, cards=400), Budget(calls=0, cards=400, candidates=8, **weighed)):
            memory, plan = new_memory(budget), plan_memory()
            assert prepare(view.state, rules.vector, view.seat, plan)
            assert draw_worlds(
                view.state, rules.vector, view.seat, plan, generator(seed), 400, budget, shipped_policy(), memory
            )
            worlds = memory.worlds[memory.order[:400]]
            in_place = [worlds[:, HANDS + seat] & state[HANDS + seat] for seat in hidden]
            right[budget.candidates] = np.mean([bin(int(hand)).count("1") for hands in in_place for hand in hands])
        gains.append(right[8] - right[1])
    assert np.mean(gains) > 2 * np.std(gains) / np.sqrt(len(gains)) > 0


def test_resampling_keeps_the_worlds_as_they_are():
    """Resampled worlds are worlds: each agrees with the view, in play too."""
    game = Game("belote", seed=8)
    rng = np.random.default_rng(0)
    while game.phase != "play" or len(game.actions) < 12:
        if game.deal_over:
            game.new_match()
        actions = game.legal_actions()
        game.step(actions[int(rng.integers(len(actions)))])
    view = game.view()
    budget = Budget(calls=0, cards=50, candidates=4, call_temper=0.5, card_temper=0.5)
    memory, plan = new_memory(budget), plan_memory()
    assert prepare(view.state, game.rules.vector, view.seat, plan)
    assert draw_worlds(
        view.state, game.rules.vector, view.seat, plan, generator(2), 50, budget, shipped_policy(), memory
    )
    for world in memory.worlds[memory.order[:50]]:
        again = View(game.rules, world, view.seat, view.legal).state
        np.testing.assert_array_equal(again, view.state)
