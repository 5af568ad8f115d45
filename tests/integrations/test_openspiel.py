"""OpenSpiel's own tests of the game, resampling that keeps what a player knows, and its search as an agent."""

from __future__ import annotations

import re

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from agents import openspiel_game  # noqa: E402
from agents.registry import make  # noqa: E402
from belote_env import Game, Rules  # noqa: E402
from belote_env.observation import PACKED_SIZE, SCALE, unpack_observation  # noqa: E402

pytestmark = pytest.mark.integrations

PRESETS = Rules.presets()


def deal(game, rng):
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choice(outcomes, p=chances))
    return state


@pytest.mark.parametrize("preset", PRESETS)
def test_random_sim(preset):
    game = pyspiel.load_game(openspiel_game.NAME, {"rules": preset})
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "decouverte"])
def test_a_resampled_state_looks_the_same(preset):
    game = pyspiel.load_game(openspiel_game.NAME, {"rules": preset})
    rng = np.random.default_rng(1)
    state = deal(game, rng)
    others = 0
    while not state.is_terminal():
        player = state.current_player()
        again = state.resample_from_infostate(player, rng.random)
        assert again.current_player() == player
        assert again.information_state_string(player) == state.information_state_string(player)
        assert again.legal_actions() == state.legal_actions()
        assert again.history()[33:] == state.history()[33:]
        others += again.information_state_string(player ^ 1) != state.information_state_string(player ^ 1)
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert others > 10


def test_states_and_returns_are_those_of_the_game():
    game = Game("coinche", seed=3)
    rng = np.random.default_rng(2)
    while not game.deal_over:
        game.step(int(rng.choice(game.legal_ids())))
    state = pyspiel.load_game(openspiel_game.NAME).state_of(game.state)
    assert state.is_terminal()
    scores = game.result["scores"]
    assert state.returns() == pytest.approx([(scores[0] - scores[1]) / 162 * (-1) ** seat for seat in range(4)])


def test_observer():
    game = pyspiel.load_game(openspiel_game.NAME, {"rules": "belote"})
    state = deal(game, np.random.default_rng(4))
    player = state.current_player()
    observation = state.view(player).observation
    observer = make_observation(game)
    observer.set_from(state, player)
    assert (observer.tensor == observation / SCALE).all()
    assert observer.dict["hand"].sum() == 5 and observer.dict["trick"].shape == (4, 32)
    assert state.information_state_tensor(player) == pytest.approx(observer.tensor.tolist())
    packed = np.frombuffer(bytes.fromhex(state.information_state_string(player).split()[1]), dtype=np.uint8)
    assert packed.shape == (PACKED_SIZE,) and (unpack_observation(packed) == observation).all()


def test_an_environment_of_openspiel():
    env = rl_environment.Environment(openspiel_game.NAME, rules="contree")
    step = env.reset()
    while not step.last():
        player = step.observations["current_player"]
        step = env.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == pytest.approx(0)


def test_unknown_rules():
    with pytest.raises(Exception, match="unknown preset"):
        openspiel_game.BeloteGame({"rules": "whist"})


@pytest.mark.parametrize("preset", ["belote", "coinche"])
def test_ismcts_plays_a_deal_and_repeats_it(preset):
    def play():
        game = Game(preset, seed=6)
        agents = [make("openspiel:ismcts:5", game.rules, seat) for seat in range(4)]
        while not game.deal_over:
            game.step(agents[game.seat].act(game.view()))
        return game.actions

    assert play() == play()


@pytest.mark.parametrize("argument", ["", "mcts", "ismcts:0", "ismcts:x"])
def test_wrong_arguments(argument):
    with pytest.raises(ValueError, match=re.escape(f"agent 'openspiel:{argument}': write openspiel:ismcts")):
        make(f"openspiel:{argument}", Rules.preset("belote"), 0)


def test_changed_rules_are_refused():
    with pytest.raises(ValueError, match="plays presets as they are"):
        make("openspiel:ismcts", Rules.preset("belote", target=2000), 0)
