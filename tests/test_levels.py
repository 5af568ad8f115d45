"""The Monte-Carlo levels: legal, repeatable, blind to hidden cards, exact at the end, and each better than the last."""

from __future__ import annotations

import time

import numpy as np
import pytest

from agents.endgame import solved_values
from agents.levels import CRAZY, HARD, NORMAL, MonteCarloAgent
from agents.monte_carlo import Budget, new_memory
from agents.registry import make
from agents.teacher import action_values
from agents.worlds import Worlds, plan_memory, prepare
from belote_env import Game, Rules
from belote_env.engine.kernel import legal_actions, step
from belote_env.engine.layout import (
    COINCHE,
    DEAL_SCORES,
    NUM_ACTIONS,
    PHASE,
    PLAY,
    PLAYED,
    SEAT,
    STATE_SIZE,
    SURCOINCHE,
)
from belote_env.solver import Position, Solver
from belote_env.view import View
from training.arena import compare

PRESETS = Rules.presets()
CHOOSE = [Rules.preset(preset, announce="choose") for preset in ("belote", "coinche_plus", "belote_classique")]
SMALL = Budget(calls=8, cards=6, candidates=2, call_temper=1.0, card_temper=0.5, solve=3)


def self_play(rules: Rules, spec: str, seed: int) -> list[str]:
    """Play a deal with an agent a seat; Game refuses what is illegal."""
    game = Game(rules, seed=seed)
    agents = [make(spec, rules, np.random.SeedSequence([seed, seat])) for seat in range(4)]
    while not game.deal_over:
        action = agents[game.seat].act(game.view())
        assert type(action) is int
        game.step(action)
    return game.actions


def some_views(rules: Rules, deals: int) -> list[tuple[np.ndarray, View]]:
    """Return states, and the views of the seats to act, of deals that Hard plays."""
    found = []
    for seed in range(deals):
        game = Game(rules, seed=seed)
        agent = make("hard:0.3", rules, seed)
        while not game.deal_over:
            view = game.view()
            if len(view.legal) > 1 and view.phase in ("auction", "play"):
                found.append((game.state, view))
            game.step(agent.act(view))
    return found


@pytest.mark.parametrize("rules", [*map(Rules.preset, PRESETS), *CHOOSE], ids=str)
@pytest.mark.parametrize("spec", ["normal:0.1", "hard:0.3", "crazy:0.03", "rollouts:4", "crazy:0.001s"])
def test_legal_and_repeatable(spec, rules):
    first = self_play(rules, spec, 3)
    if not spec.endswith("s"):
        assert first == self_play(rules, spec, 3)


@pytest.mark.parametrize("preset", ["belote", "decouverte"])
def test_exact_monte_carlo_plays(preset):
    assert self_play(Rules.preset(preset), "pimc:1", 3)


@pytest.mark.parametrize("rules", [Rules.preset("belote"), Rules.preset("coinche_plus"), CHOOSE[1]], ids=str)
def test_hidden_cards_change_nothing(rules):
    for state, view in some_views(rules, 2):
        other = Worlds(view, seed=1).sample(1)[0]
        imagined = View(rules, other, view.seat, list(view.legal))
        one, two = (MonteCarloAgent(rules, CRAZY.times(0.05), 9).values(v, v.legal) for v in (view, imagined))
        np.testing.assert_array_equal(one, two)
        labels = action_values(np.stack([state, state]), rules, SMALL, 4)
        same = action_values(np.stack([other, other]), rules, SMALL, 4)
        np.testing.assert_array_equal(labels, same)


def test_calls_that_a_level_never_makes():
    assert COINCHE in NORMAL.unsaid and SURCOINCHE in NORMAL.unsaid and SURCOINCHE in HARD.unsaid
    rules = Rules.preset("coinche")
    # A capot bid against four of the best trumps.
    game = Game.from_record(
        {
            "format": "belote-deal/1",
            "rules": {"preset": "coinche", "options": {}},
            "dealer": 3,
            "hands": [
                "7S 8S QS KS 7H 8H 7D 8D",
                "JS 9S AS TS AH TH AD TD",
                "9H JH QH KH 9D JD QD KD",
                "7C 8C 9C TC JC QC KC AC",
            ],
            "actions": ["bid capotS"],
        }
    )
    view = game.view()
    said = {spec: make(spec, rules, 1).act(view) for spec in ("normal", "hard", "crazy")}
    assert said["normal"] != COINCHE and said["hard"] == said["crazy"] == COINCHE


@pytest.mark.parametrize("preset", PRESETS)
def test_the_end_is_scored_as_the_kernel_scores_it(preset):
    """The value of a solved card is the score of the deal played on by the solver's own best line."""
    rules, solver, checked = Rules.preset(preset), Solver(), 0
    memory = new_memory(Budget(calls=0, cards=1, solve=4))
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    for state, _ in some_views(rules, 6):
        if state[PHASE] != PLAY or state[PLAYED] < 18:
            continue
        count = legal_actions(state, rules.vector, ids)
        memory.worlds[0] = state
        memory.order[0] = 0
        best = solved_values(rules.vector, state[SEAT], ids, count, 1, memory)
        played = state.copy()
        while played[PHASE] == PLAY:
            position = Position.from_state(played, rules)
            values = solver.card_values(position)
            sign = 1 if played[SEAT] % 2 == 0 else -1
            card = max(values, key=lambda c: sign * values[c])
            step(played, rules.vector, card)
        team = state[SEAT] % 2
        difference = played[DEAL_SCORES + team] - played[DEAL_SCORES + 1 - team]
        assert abs(memory.values[best] - difference) < 0.5
        checked += 1
    assert checked > 5


def test_the_last_cards_are_played_exactly():
    """Where the view leaves one deal only, Crazy's card is a best one with all hands open."""
    rules, solver, checked = Rules.preset("belote_sans_annonces"), Solver(), 0
    for state, view in some_views(rules, 60):
        if (
            view.phase != "play"
            or state[PLAYED] < 20
            or prepare(view.state, rules.vector, view.seat, plan_memory()) != 1
        ):
            continue
        values = solver.card_values(Position.from_state(state, rules))
        sign = 1 if view.seat % 2 == 0 else -1
        card = make("crazy:0.05", rules, 1).act(view)
        best = max(sign * value for value in values.values())
        assert sign * values[card] == best
        checked += 1
    assert checked > 3


def test_bulk_values():
    rules = Rules.preset("coinche")
    found = some_views(rules, 2)
    states = np.stack([state for state, _ in found])
    values = action_values(states, rules, SMALL, 5, threads=1)
    assert values.shape == (len(states), NUM_ACTIONS) and values.dtype == np.float32
    for row, (_, view) in zip(values, found, strict=True):
        assert sorted(np.flatnonzero(~np.isnan(row))) == view.legal or np.isneginf(row[view.legal]).any()
    np.testing.assert_array_equal(values, action_values(states, rules, SMALL, 5, threads=3))
    np.testing.assert_array_equal(values[7:], action_values(states[7:], rules, SMALL, 5, first=7))
    assert not np.array_equal(values, action_values(states, rules, SMALL, 6), equal_nan=True)
    unpruned = action_values(states, rules, SMALL._replace(prune=False), 5)
    assert np.isfinite(unpruned[~np.isnan(unpruned)]).all()
    with pytest.raises(ValueError, match="states are int64"):
        action_values(states.astype(np.int32), rules)
    assert np.isnan(action_values(np.zeros((0, STATE_SIZE), dtype=np.int64), rules)).all()


def test_more_worlds_agree_better():
    """The error of the values falls with the worlds: against a long look, 200 are closer than 10."""
    rules = Rules.preset("belote")
    states = np.stack([state for state, view in some_views(rules, 3) if view.phase == "play"])
    budget = Budget(calls=0, cards=1000, prune=False)
    truth = action_values(states, rules, budget, 1)
    errors = [np.nanmean((action_values(states, rules, budget._replace(cards=n), 2) - truth) ** 2) for n in (10, 200)]
    assert errors[1] < errors[0] / 5


def test_a_time_limit_is_kept():
    rules = Rules.preset("coinche")
    agent = make("crazy:0.05s", rules, 1)
    views = [view for _, view in some_views(rules, 1)][:8]
    agent.act(views[0])
    start = time.perf_counter()
    assert all(agent.act(view) in view.legal for view in views)
    assert time.perf_counter() - start >= 8 * 0.05


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("crazy:x", "'x' is not a number of times"),
        ("crazy:0", "'0' is not a number of times"),
        ("hard:-1", "is not a number of times"),
        ("crazy:nan", "is not a number of times"),
        ("crazy:s", "is not a time"),
        ("pimc:many", "'many' is not a number of worlds"),
        ("crazy:1000", "worlds at a time are too many"),
        ("rollouts:0", "is not a number of worlds"),
        ("rollouts:0.2", "is not a number of worlds"),
    ],
)
def test_wrong_arguments(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, Rules.preset("belote"), 1)


@pytest.mark.parametrize(("better", "worse", "deals"), [("normal", "easy", 150), ("hard", "easy", 60)])
def test_better_than_easy(better, worse, deals):
    result = compare((better, worse), Rules.preset("belote"), deals, 1)
    assert result.ci95 is not None and result.ci95[0] > 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("preset", ["belote", "coinche", "coinche_plus"])
@pytest.mark.parametrize(("better", "worse"), [("normal", "easy"), ("hard", "normal"), ("crazy", "hard")])
def test_ladder(better, worse, preset):
    result = compare((better, worse), Rules.preset(preset), 1000, 0)
    assert result.ci95 is not None and result.ci95[0] > 0
