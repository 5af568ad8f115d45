"""The Gymnasium environments: one seat against agents, alone and vectorised."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import belote_env
from belote_env.engine.layout import PACK
from belote_env.errors import IllegalActionError
from belote_env.registration import FAMILIES
from belote_env.single import ILLEGAL_REWARD
from belote_env.vector import BeloteVectorEnv

assert belote_env  # importing it registers the ids


def play(env: gymnasium.Env, seed: int | None, choose: int = 0) -> list[tuple]:
    rng = np.random.default_rng(choose)
    observation, info = env.reset(seed=seed)
    turns = [(observation["observation"].tobytes(), 0.0)]
    terminated = False
    while not terminated:
        assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        turns.append((observation["observation"].tobytes(), reward))
    turns.append((info["deal_result"],))
    return turns


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_check_env(name, episode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, episode=episode).unwrapped, skip_render_check=True)


def test_same_seed_same_opponents():
    one, two = (gymnasium.make("Coinche-v0", partner="random", opponents="easy") for _ in range(2))
    assert play(one, 3) == play(two, 3)
    assert play(one, None) == play(two, None)
    assert play(one, 4) != play(two, 5)


@pytest.mark.parametrize("seat", range(4))
def test_rewards_are_those_of_the_own_seat(seat):
    env = gymnasium.make("Belote-v0", seat=seat, opponents="random", partner="random")
    for seed in range(5):
        *turns, (sheet,) = play(env, seed)
        difference = sheet["scores"][seat % 2] - sheet["scores"][1 - seat % 2]
        assert sum(reward for _, reward in turns) == pytest.approx(difference / 162, rel=1e-6)


def test_illegal_actions():
    env = gymnasium.make("Belote-v0").unwrapped
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(33)
    assert (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    assert "legal are" in info["illegal"]
    strict = gymnasium.make("Belote-v0", illegal="raise").unwrapped
    strict.reset(seed=1)
    before = strict.game.state.tobytes()
    with pytest.raises(IllegalActionError, match="legal are"):
        strict.step(33)
    assert strict.game.state.tobytes() == before


def test_any_object_with_act_can_take_a_seat():
    seen = []

    class First:
        def act(self, view):
            seen.append(view.seat)
            return view.legal[0]

    play(gymnasium.make("Belote-v0", rules="decouverte", partner=First(), opponents="random"), 1)
    assert set(seen) == {2}


def test_unknown_agent_is_refused():
    with pytest.raises(ValueError, match="unknown agent"):
        gymnasium.make("Belote-v0", opponents="grandmaster")


@pytest.mark.parametrize("opponents", ["random", "easy"])
def test_vector_form(opponents):
    envs = gymnasium.make_vec("Coinche-v0", num_envs=8, opponents=opponents, partner="random", seat=2)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=1)
    episodes = 0
    total = np.zeros(8)
    for _ in range(60):
        assert envs.observation_space.contains(observations)
        masks = observations["action_mask"]
        assert np.array_equal(masks, infos["action_mask"])
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        observations, rewards, ended, truncated, infos = envs.step(actions)
        total += rewards
        assert not truncated.any()
        for game in np.flatnonzero(ended):
            assert infos["_final_obs"][game]
            assert envs.single_observation_space.contains(infos["final_obs"][game])
            sheet = infos["final_info"]["deal_result"][game]
            difference = sheet["scores"][0] - sheet["scores"][1]
            assert total[game] == pytest.approx(difference / 162, abs=1e-5)
            total[game] = 0.0
            episodes += 1
    assert episodes > 8
    envs.close()


def test_vector_form_ends_an_episode_at_an_illegal_action():
    envs = gymnasium.make_vec("Coinche-v0", num_envs=3, opponents="random")
    observations, _ = envs.reset(seed=1)
    legal = observations["action_mask"].argmax(axis=1)
    after, rewards, ended, _, infos = envs.step(np.array([legal[0], 173, legal[2]]))
    assert ended.tolist() == [False, True, False] and rewards.tolist() == [0.0, ILLEGAL_REWARD, 0.0]
    assert "legal are pass" in infos["final_info"]["illegal"][1]
    assert infos["final_info"]["_illegal"].tolist() == infos["_final_obs"].tolist() == ended.tolist()
    assert not infos["final_info"]["_deal_result"].any()
    assert np.array_equal(infos["final_obs"][1]["observation"], observations["observation"][1])
    assert envs.observation_space.contains(after)
    # Its next episode is the one that a reset would have begun.
    other = BeloteVectorEnv(1, "coinche")
    other.reset(seed=2)
    other.reset()
    cards = np.s_[PACK : PACK + 32]
    assert np.array_equal(envs.games.get_state()["states"][1, cards], other.get_state()["states"][0, cards])


def test_vector_form_refuses_illegal_actions_if_asked_to():
    envs = gymnasium.make_vec("Coinche-v0", num_envs=2, opponents="random", illegal="raise")
    envs.reset(seed=1)
    before = envs.games.get_state()["states"]
    with pytest.raises(IllegalActionError, match=r"game 0: .* is illegal"):
        envs.step(np.array([173, 173]))
    assert np.array_equal(envs.games.get_state()["states"], before)
    with pytest.raises(ValueError, match="illegal is 'ignore', expected 'terminate' or 'raise'"):
        gymnasium.make_vec("Coinche-v0", num_envs=2, illegal="ignore")


def test_vector_form_is_repeatable():
    def run() -> bytes:
        envs = gymnasium.make_vec("Belote-v0", num_envs=4, opponents="easy")
        observations, _ = envs.reset(seed=6)
        out = b""
        for _ in range(30):
            observations, rewards, *_ = envs.step(observations["action_mask"].argmax(axis=1))
            out += observations["observation"].tobytes() + rewards.tobytes()
        return out

    assert run() == run()


def test_record_video(tmp_path, monkeypatch):
    pytest.importorskip("moviepy")
    env = gymnasium.wrappers.RecordVideo(
        gymnasium.make("Belote-v0", render_mode="rgb_array", opponents="random"), str(tmp_path)
    )
    play(env, 1)
    env.close()
    assert list(tmp_path.glob("*.mp4"))


@pytest.mark.parametrize("arguments", [{"partner": None}, {"opponents": 3}, {"seat": 4}, {"seat": True}])
def test_what_is_no_player_or_seat_is_refused(arguments):
    for make in (gymnasium.make, lambda name, **kwargs: gymnasium.make_vec(name, 2, **kwargs)):
        with pytest.raises(ValueError, match=r"is not a player|expected 0, 1, 2 or 3"):
            make("Belote-v0", **arguments)
