"""Search on top of a network: the past that it replays, the worlds that it weighs, and what it makes of them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from decisions import random_game, small_network, some_views

from agents import checkpoint
from agents.frozen import FrozenPolicy
from agents.history import count_decisions, past_decisions
from agents.neural import Mind
from agents.neural_worlds import log_likelihoods, outcomes
from agents.registry import make
from agents.search import Budget, SearchAgent, evidence
from agents.worlds import Worlds
from belote_env import Game
from belote_env.engine import kernel
from belote_env.engine.layout import DEAL_SCORES, NUM_ACTIONS, STATE_SIZE
from belote_env.observation import OBSERVATION_SIZE, block
from belote_env.rules import Rules
from belote_env.view import View

TINY = Budget(worlds=4, proposals=2, least=1e-9)


def no_opinion(observations):
    return np.zeros((len(observations), NUM_ACTIONS), dtype=np.float32)


def highest_action(observations):
    """Prefers the action with the highest id, and is sure of it."""
    return np.tile(np.arange(NUM_ACTIONS, dtype=np.float32) * 100.0, (len(observations), 1))


@pytest.fixture(scope="module")
def mind():
    return Mind(FrozenPolicy(small_network()))


@pytest.mark.parametrize("preset", Rules.presets())
def test_past_decisions_are_those_made(preset):
    rules, rng = Rules.preset(preset), np.random.default_rng(3)
    for seed in range(4):
        game, seen = Game(rules, seed), []
        stop = rng.integers(10, 36)
        while len(game.actions) < stop and not game.deal_over:
            legal = game.legal_ids()
            action = legal[0] if game.phase == "auction" and rng.random() < 0.6 else int(rng.choice(legal))
            if len(legal) > 1 and game.phase in ("auction", "play"):
                seen.append((game.seat, action, tuple(legal), game.observation(game.seat)))
            game.step(action)
        if game.deal_over:
            continue
        past, state = np.empty(STATE_SIZE, dtype=np.int64), game.state
        room = count_decisions(state, rules.vector, past)
        observations = np.empty((room, OBSERVATION_SIZE), dtype=np.uint8)
        masks = np.empty((room, NUM_ACTIONS), dtype=np.int8)
        actions, owners = np.empty((2, room), dtype=np.int64)
        expected = [one for one in seen if one[0] != 2]
        count = past_decisions(
            state[None], rules.vector, rules.blank_observation, 2, past, observations, masks, actions, owners
        )
        assert count == len(expected)
        for i, (_, action, legal, observation) in enumerate(expected):
            assert actions[i] == action and owners[i] == 0
            assert tuple(np.flatnonzero(masks[i])) == legal
            if rules.auction == "turned" and action >= 32:
                # Which cards came after the auction cannot be known from the state.
                assert block(observations[i], "hand").sum() == block(observation, "hand").sum()
                observations[i][:32] = observation[:32]
            np.testing.assert_array_equal(observations[i], observation)


def test_worlds_are_as_likely_as_their_actions():
    rules, game = Rules.of("coinche"), random_game("coinche", 4, 25)
    view = game.view()
    worlds = Worlds(view, 1).sample(3)
    past = np.empty(STATE_SIZE, dtype=np.int64)
    for world, found in zip(worlds, log_likelihoods(no_opinion, rules, worlds, view.seat, 0.1), strict=True):
        room = count_decisions(world, rules.vector, past)
        masks = np.empty((room, NUM_ACTIONS), dtype=np.int8)
        observations, rest = np.empty((room, OBSERVATION_SIZE), dtype=np.uint8), np.empty((2, room), dtype=np.int64)
        count = past_decisions(
            world[None], rules.vector, rules.blank_observation, view.seat, past, observations, masks, *rest
        )
        assert count > 0
        assert found == pytest.approx(-np.log(masks[:count].sum(1)).sum())


def test_outcomes_are_those_of_playing_on():
    rules = Rules.of("coinche_plus")
    for seed, steps in ((1, 0), (2, 5), (3, 20), (4, 30)):
        view = random_game(rules, seed, steps).view()
        worlds, actions = Worlds(view, seed).sample(2), np.array(view.legal[:2])
        values = outcomes(highest_action, rules, worlds, actions)
        for world, of_world in zip(worlds, values, strict=True):
            for action, value in zip(actions, of_world, strict=True):
                state, ids = world.copy(), np.empty(NUM_ACTIONS, dtype=np.int64)
                kernel.step(state, rules.vector, action)
                while (count := kernel.legal_actions(state, rules.vector, ids)) > 0:
                    kernel.step(state, rules.vector, ids[count - 1])
                own, other = state[DEAL_SCORES + (view.seat & 1)], state[DEAL_SCORES + 1 - (view.seat & 1)]
                assert value == pytest.approx(own - other, abs=0.5)


def test_evidence_counts_standard_errors():
    values = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 1.0], [0.0, 3.0]])
    even = np.full(4, 0.25)
    np.testing.assert_allclose(evidence(values, even), [0.0, 2.0 / (1.0 / 2.0)])
    np.testing.assert_allclose(evidence(values, np.array([0.5, 0.0, 0.5, 0.0])), [0.0, 1.0 / np.sqrt(0.5)])
    np.testing.assert_array_equal(evidence(np.ones((4, 2)), even), [0.0, 0.0])


@pytest.mark.parametrize("preset", Rules.presets())
def test_plays_legally_and_repeatably(preset, mind):
    rules = Rules.preset(preset)
    for view in some_views(rules, 8):
        actions = {SearchAgent(rules, mind, TINY, seed=5).act(view) for _ in range(2)}
        assert len(actions) == 1 and actions <= set(view.legal)


def test_sees_only_its_view(mind):
    rules = Rules.of("coinche")
    for seed, steps in ((1, 2), (2, 10), (3, 22)):
        game = random_game(rules, seed, steps)
        (other,) = Worlds(game.view(), 9).sample(1)
        views = [game.view(), View(rules, other, game.seat, game.legal_ids())]
        assert len({SearchAgent(rules, mind, TINY, seed=1).act(view) for view in views}) == 1


def test_finds_the_card_that_wins():
    """A network without opinions is corrected by what the cards come to."""
    rules = Rules.of("belote")
    agent = SearchAgent(rules, Mind(no_opinion), Budget(worlds=16, proposals=8, least=1e-9), seed=1)
    better = worse = 0.0
    for seed in range(6):
        view = random_game(rules, seed, 28).view()
        if view.phase != "play" or len(view.legal) < 2:
            continue
        worlds = Worlds(view, 100 + seed).sample(200)
        values = outcomes(no_opinion, rules, worlds, np.array(view.legal)).mean(0)
        better += values[view.legal.index(agent.act(view))] - values.mean()
        worse += values.min() - values.mean()
    assert worse < 0.0 < better


def test_is_named(tmp_path):
    rules = Rules.of("coinche")
    checkpoint.save(tmp_path, small_network(), [rules])
    view = random_game(rules, 3, 20).view()
    assert make(f"search:{tmp_path}@0.1", rules, 1).act(view) in view.legal
    assert make(f"search:{tmp_path}", rules, 1).fingerprint == checkpoint.load(str(tmp_path)).fingerprint
    with pytest.raises(ValueError, match="not a number of times the worlds"):
        make(f"search:{tmp_path}@many", rules, 1)
    with pytest.raises(ValueError, match="no checkpoint"):
        make("search:nowhere", rules, 1)
    with pytest.raises(ValueError, match="does not play"):
        make(f"search:{tmp_path}", Rules.of("belote"), 1)
