"""The AEC environment: PettingZoo's own tests, rewards, infos, seeds."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

from belote_env import Rules, belote_v0
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.errors import IllegalActionError
from belote_env.observation import OBSERVATION_SIZE

# What PettingZoo says of every environment whose observations are a Dict; any other warning is an error here.
DICT_WARNINGS = (
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
)
# A second a look: windows do not wait for the next picture, and five seconds of benchmark are short.
_seconds = itertools.count().__next__
FAST_CLOCK = SimpleNamespace(time=_seconds, monotonic=_seconds, sleep=time.sleep)


def play(env, seed: int | None, choose: int = 0):
    """Play an episode with seeded random actions; yield (agent, observation, reward, done, info) of every turn."""
    rng = np.random.default_rng(choose)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        yield agent, observation, reward, terminated or truncated, info
        action = None if terminated or truncated else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        env.step(action)


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("preset", Rules.presets())
def test_pettingzoo_tests(preset, episode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in DICT_WARNINGS:
            warnings.filterwarnings("ignore", message)
        api_test(belote_v0.env(rules=preset, episode=episode), num_cycles=300)
        seed_test(lambda: belote_v0.env(rules=preset, episode=episode), num_cycles=100)


@pytest.mark.parametrize("preset", Rules.presets())
def test_render_test(preset, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("belote_env.render_window.time", FAST_CLOCK)
    render_test(lambda **kwargs: belote_v0.env(rules=preset, **kwargs))


@pytest.mark.parametrize("preset", Rules.presets())
def test_performance_benchmark_runs(preset, capsys, monkeypatch):
    monkeypatch.setattr(sys.modules["pettingzoo.test.performance_benchmark"], "time", FAST_CLOCK)
    performance_benchmark(belote_v0.raw_env(rules=preset))
    assert "turns per second" in capsys.readouterr().out


def test_what_reset_makes_is_not_there_before():
    env = belote_v0.raw_env()
    for use in (env.last, lambda: env.step(0), lambda: env.observe("player_0"), lambda: env.num_agents):
        with pytest.raises(AttributeError, match=r"cannot be accessed before reset: call reset\(\) first"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'agent'"):
        env.agent  # noqa: B018
    assert not hasattr(copy.deepcopy(env), "agents")


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_pettingzoo_registry():
    env = pettingzoo.make("aec", "belote_v0", rules="coinche")
    env.reset(seed=1)
    assert env.unwrapped.rules == Rules.preset("coinche")


@pytest.mark.parametrize("preset", Rules.presets())
def test_rewards_are_the_score_difference_delivered_once(preset):
    env = belote_v0.env(rules=preset)
    scale = 1 if preset in ("encheres", "decouverte") else 162
    for seed in range(10):
        received = dict.fromkeys(env.possible_agents, 0.0)
        turns = list(play(env, seed, choose=seed))
        for agent, _, reward, _, _ in turns:
            received[agent] += reward
        sheet = turns[-1][4]["deal_result"]
        for seat, agent in enumerate(env.possible_agents):
            difference = sheet["scores"][seat % 2] - sheet["scores"][1 - seat % 2]
            assert received[agent] == pytest.approx(difference / scale, rel=1e-6)


def test_match_rewards_add_up_and_the_sheet_reaches_every_seat():
    env = belote_v0.env(rules="belote", episode="match", reward="points")
    received = dict.fromkeys(env.possible_agents, 0.0)
    sheets: dict[str, list] = {agent: [] for agent in env.possible_agents}
    for agent, _, reward, _, info in play(env, 5):
        received[agent] += reward
        if "deal_result" in info:
            sheets[agent].append(info["deal_result"])
    assert len(sheets["player_0"]) > 1
    assert all(sheets[agent] == sheets["player_0"] for agent in sheets)
    totals = sheets["player_0"][-1]["totals"]
    assert [received["player_0"], received["player_1"]] == totals
    assert sheets["player_0"][-1]["winner"] in (0, 1)


def test_match_reward():
    env = belote_v0.env(rules="decouverte", episode="match", reward="match")
    received = dict.fromkeys(env.possible_agents, 0.0)
    turns = list(play(env, 1))
    for agent, _, reward, _, _ in turns:
        received[agent] += reward
    winner = turns[-1][4]["deal_result"]["winner"]
    assert [received[agent] for agent in env.possible_agents] == [1.0 if s % 2 == winner else -1.0 for s in range(4)]


def test_contract_reward():
    env = belote_v0.env(rules="belote", reward="contract")
    seen = set()
    for seed in range(30):
        received = dict.fromkeys(env.possible_agents, 0.0)
        turns = list(play(env, seed, choose=seed))
        for agent, _, reward, _, _ in turns:
            received[agent] += reward
        sheet = turns[-1][4]["deal_result"]
        takers = sheet["contract"]["seat"] % 2 if sheet["contract"] else 0
        expected = 0.0 if sheet["contract"] is None else 1.0 if sheet["made"] else -1.0
        assert list(received.values()) == [expected if seat % 2 == takers else -expected for seat in range(4)]
        seen.add(expected)
    assert {1.0, -1.0} <= seen


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "coince"}, "did you mean 'coinche'"),
        ({"episode": "hand"}, "unknown episode 'hand'"),
        ({"reward": "win"}, "unknown reward 'win'"),
        ({"reward": "match"}, "needs episode='match'"),
        ({"render_mode": "text"}, "unknown render_mode 'text'"),
    ],
)
def test_unknown_names_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        belote_v0.env(**arguments)


def test_masks_are_zero_off_turn_and_never_empty_on_turn():
    env = belote_v0.raw_env(rules="contree")
    for agent, observation, _, done, info in play(env, 3):
        assert observation["observation"].shape == (OBSERVATION_SIZE,)
        assert observation["action_mask"].shape == (NUM_ACTIONS,)
        assert observation["action_mask"].dtype == np.int8
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        assert observation["action_mask"].any() == (not done)
        for other in env.agents:
            if other != agent:
                assert not env.observe(other)["action_mask"].any()
                assert not env.infos[other]["action_mask"].any()


def test_an_illegal_action_changes_nothing():
    env = belote_v0.env(rules="belote")
    env.reset(seed=1)
    before = env.unwrapped.game.state.tobytes()
    with pytest.raises(IllegalActionError, match=r"'coinche' is illegal for seat .* legal are pass, take"):
        env.step(33)
    assert env.unwrapped.game.state.tobytes() == before
    env.step(32)


def test_state_is_the_observation_of_the_seat_to_act_and_the_hidden_cards():
    env = belote_v0.env(rules="belote")
    env.reset(seed=1)
    state = env.state()
    assert env.unwrapped.state_space.contains(state)
    observation = env.last()[0]["observation"]
    assert np.array_equal(state[:OBSERVATION_SIZE], observation)
    seen = state[OBSERVATION_SIZE:].reshape(4, 32).sum(axis=0) + observation[:32]
    assert np.array_equal(seen, np.ones(32)), "every card is in one place"


def transcript(env, seed: int | None, choose: int = 0) -> list[bytes]:
    return [turn[1]["observation"].tobytes() + turn[0].encode() for turn in play(env, seed, choose)]


def test_same_seed_same_bytes_in_interleaved_environments():
    one, two = belote_v0.env(rules="coinche"), belote_v0.env(rules="coinche")
    first = transcript(one, 7)
    games = zip(play(one, 7), play(two, 8), strict=False)
    interleaved = [a[1]["observation"].tobytes() + a[0].encode() for a, _ in games]
    assert interleaved == first[: len(interleaved)]
    assert transcript(two, 8) != first


def test_reset_without_seed_goes_on_and_is_repeatable():
    one, two = belote_v0.env(), belote_v0.env()
    runs = [[transcript(env, 7), transcript(env, None), transcript(env, None)] for env in (one, two)]
    assert runs[0] == runs[1]
    assert runs[0][1] != runs[0][2]


def test_same_seed_same_bytes_in_another_process():
    code = (
        "import hashlib, sys; sys.path.insert(0, 'tests')\n"
        "from test_aec import transcript; from belote_env import belote_v0\n"
        "print(hashlib.sha256(b''.join(transcript(belote_v0.env(rules='contree'), 11))).hexdigest())"
    )
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)}
    assert len(runs) == 1
    assert len(runs.pop()) == 65
