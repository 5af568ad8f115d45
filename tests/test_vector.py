"""The vector environment against the AEC environment bit by bit, and its forms, buffers, threads, resume."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest

from belote_env import Rules, belote_v0
from belote_env.errors import IllegalActionError
from belote_env.observation import OBSERVATION_SIZE, SCALE, unpack_observation
from belote_env.vector import WAIT, BeloteVectorEnv


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)


def run(env: BeloteVectorEnv, steps: int, seed: int) -> list[bytes]:
    rng = np.random.default_rng(seed)
    out = []
    step = env.reset(seed=seed)
    for _ in range(steps):
        step = env.step(random_actions(step.action_masks, rng))
        out.append(
            b"".join(getattr(step, name).tobytes() for name in ("observations", "action_masks", "rewards", "done"))
        )
    return out


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("preset", Rules.presets())
def test_agrees_with_the_aec_environment_bit_by_bit(preset, episode):
    games = 3
    vector = BeloteVectorEnv(games, preset, episode=episode, privileged=True)
    singles = [belote_v0.raw_env(rules=preset, episode=episode) for _ in range(games)]
    rng = np.random.default_rng(1)
    step = vector.reset(seed=40)
    for game, single in enumerate(singles):
        single.reset(seed=40 + game)
    ends = 0
    for _ in range(150):
        for game, single in enumerate(singles):
            observation = single.observe(single.agent_selection)
            assert single.agent_selection == f"player_{step.seats[game]}"
            assert np.array_equal(observation["observation"], step.observations[game])
            assert np.array_equal(observation["action_mask"], step.action_masks[game])
            assert np.array_equal(single.state()[OBSERVATION_SIZE:], step.privileged[game])
        actions = random_actions(step.action_masks, rng)
        step = vector.step(actions)
        for game, single in enumerate(singles):
            single.step(actions[game])
            assert [single.rewards[agent] for agent in single.possible_agents] == step.rewards[game].tolist()
            assert single.terminations["player_0"] == step.done[game]
            if step.deal_over[game]:
                assert single.infos["player_0"]["deal_result"] == vector.score_sheet(game)
            if step.done[game]:
                ends += 1
                for seat in range(4):
                    final = single.observe(f"player_{seat}")["observation"]
                    assert np.array_equal(final, vector.final_observation(game, seat))
                single.reset()
    assert ends > 0 or episode == "match"


def test_forms_of_the_observation_agree():
    runs = {
        form: BeloteVectorEnv(5, "coinche_plus", observation=form) for form in ("bytes", "packed", "floats", "none")
    }
    steps = {form: env.reset(seed=3) for form, env in runs.items()}
    rng = np.random.default_rng(3)
    for _ in range(120):
        flat = steps["bytes"].observations
        assert np.array_equal(unpack_observation(steps["packed"].observations), flat)
        assert np.array_equal(steps["floats"].observations, flat / SCALE)
        assert steps["none"].observations.shape == (5, 0)
        actions = random_actions(steps["bytes"].action_masks, rng)
        steps = {form: env.step(actions) for form, env in runs.items()}


def test_threads_do_not_change_anything():
    one, two = BeloteVectorEnv(600, "contree", threads=1), BeloteVectorEnv(600, "contree", threads=2)
    assert run(one, 60, 5) == run(two, 60, 5)
    two.close()


def test_skipping_forced_moves_leaves_only_choices_and_loses_no_reward():
    full, short = BeloteVectorEnv(1, "belote"), BeloteVectorEnv(1, "belote", skip_forced=True)
    a, b = full.reset(seed=9), short.reset(seed=9)
    rng = np.random.default_rng(9)
    for _ in range(300):
        assert b.action_masks.sum() > 1
        assert np.array_equal(a.observations, b.observations)
        action = random_actions(b.action_masks, rng)
        b = short.step(action)
        a = full.step(action)
        rewards, done = a.rewards.copy(), a.done.copy()
        while a.action_masks.sum() == 1:
            a = full.step(a.action_masks.argmax(axis=1))
            rewards += a.rewards
            done |= a.done
        assert np.array_equal(rewards, b.rewards)
        assert np.array_equal(done, b.done)


def test_resumes_exactly():
    env = BeloteVectorEnv(4, "coinche", episode="match")
    rng = np.random.default_rng(2)
    step = env.reset(seed=2)
    for _ in range(100):
        step = env.step(random_actions(step.action_masks, rng))
    saved = env.get_state()
    script = []
    after = []
    for _ in range(100):
        script.append(random_actions(step.action_masks, rng))
        step = env.step(script[-1])
        after.append(step.observations.tobytes() + step.rewards.tobytes())
    other = BeloteVectorEnv(4, "coinche", episode="match")
    other.set_state(saved)
    again = [(s := other.step(actions)).observations.tobytes() + s.rewards.tobytes() for actions in script]
    assert again == after


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_alike_whatever_its_threads(copied):
    env = BeloteVectorEnv(600, "contree", threads=2, observation="packed")
    rng = np.random.default_rng(4)
    step = env.reset(seed=4)
    for _ in range(20):
        step = env.step(random_actions(step.action_masks, rng))
    other = copied(env)
    for number in range(40):
        actions = random_actions(step.action_masks, rng)
        step, again = env.step(actions), other.step(actions)
        assert again.observations is not step.observations
        for name in ("observations", "action_masks", "seats", "rewards", "done"):
            assert np.array_equal(getattr(step, name), getattr(again, name))
        if number == 20:
            env.close()


def test_an_illegal_action_moves_no_game():
    env = BeloteVectorEnv(3, "belote")
    step = env.reset(seed=1)
    before = env.get_state()["states"]
    actions = step.action_masks.argmax(axis=1)
    actions[1] = 33
    with pytest.raises(IllegalActionError, match=r"game 1: 'coinche' is illegal for seat \d: legal are pass, take"):
        env.step(actions)
    assert np.array_equal(env.get_state()["states"], before)
    with pytest.raises(IllegalActionError, match="shape"):
        env.step(actions[:2])


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_less_than_one_thread_is_refused(threads):
    with pytest.raises(ValueError, match=r"threads is .*, expected 1 or more"):
        BeloteVectorEnv(2, threads=threads)


def test_a_waiting_game_stands_still():
    env = BeloteVectorEnv(2, "belote")
    step = env.reset(seed=1)
    before = env.get_state()["states"]
    env.step(np.array([WAIT, step.action_masks[1].argmax()]))
    after = env.get_state()["states"]
    assert np.array_equal(before[0], after[0])
    assert not np.array_equal(before[1], after[1])


def test_writes_into_given_buffers():
    mine = np.zeros((2, OBSERVATION_SIZE), dtype=np.uint8)
    env = BeloteVectorEnv(2, "belote", buffers={"observations": mine})
    step = env.reset(seed=1)
    assert step.observations is mine
    assert mine.any()
    with pytest.raises(ValueError, match="buffer observations is uint8"):
        BeloteVectorEnv(3, "belote", buffers={"observations": mine})
    with pytest.raises(ValueError, match="unknown buffer 'observation'"):
        BeloteVectorEnv(2, "belote", buffers={"observation": mine})


def test_writes_into_torch_tensors_without_a_copy():
    torch = pytest.importorskip("torch")
    tensor = torch.zeros((2, OBSERVATION_SIZE), dtype=torch.uint8)
    env = BeloteVectorEnv(2, "belote", buffers={"observations": tensor.numpy()})
    env.reset(seed=1)
    assert tensor.any()


def test_memory_of_a_game():
    assert BeloteVectorEnv(8, "belote").bytes_per_game < 2000


def test_needs_a_reset_first():
    with pytest.raises(RuntimeError, match="reset"):
        BeloteVectorEnv(1).step(np.zeros(1, dtype=np.int64))


def test_what_is_not_there_is_refused():
    env = BeloteVectorEnv(2, "belote")
    step = env.reset(seed=np.uint8(255))
    assert not np.array_equal(step.observations[0], step.observations[1])
    with pytest.raises(RuntimeError, match="no deal has ended in game 0"):
        env.score_sheet(0)
    with pytest.raises(IllegalActionError, match="expected integers"):
        env.step(np.array([32.0, 32.0]))
    with pytest.raises(ValueError, match="a seed is"):
        env.reset(seed=True)


def test_steps_allocate_nothing_of_their_size():
    """A step writes into the arrays that it has; the observations of 512 games alone are half a megabyte."""
    env = BeloteVectorEnv(512, "coinche", threads=1)
    actions = np.empty(512, dtype=np.int64)
    step = env.reset(seed=1)

    def run(steps: int) -> None:
        for _ in range(steps):
            for game in range(512):
                actions[game] = step.action_masks[game].argmax()
            env.step(actions)

    run(3)
    tracemalloc.start()
    run(10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000
