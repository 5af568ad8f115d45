"""Self-play: returns by hand, and runs that are repeatable, stopped, killed and resumed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from decisions import best_score, random_game, small_network
from runs import killed, train, what_counts

from agents import checkpoint
from agents.levels import CRAZY
from agents.network import Critic
from agents.teacher import action_values
from belote_cli import main
from belote_env import Rules
from belote_env.engine.layout import ANNOUNCE, BELOTE, PHASE, PLAYED, STATE_SIZE
from belote_env.rewards import reward_scale
from training import ppo
from training.ppo import Config, advantages
from training.processes import Interrupts
from training.run import read_progress
from training.self_play import SelfPlayTables, play, sides

GAMES = ("belote", "coinche")
ALONE = {"past_share": 0.0, "rule_share": 0.0, "level_share": 0.0}


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    folder = tmp_path_factory.mktemp("start")
    checkpoint.save(folder, small_network(), [Rules.preset(game) for game in GAMES])
    return folder


@pytest.fixture(scope="module")
def tiny(start):
    return Config(
        rules=GAMES, start=str(start), tables=8, steps=8, rounds=5, warm_up=1, minibatches=2, past_share=0.25,
        rule_share=0.25, level_share=0.25, level_worlds=0.005, past_every=2, critic_width=16,
        save_every=2, evaluate_every=2, evaluation_deals=2, against=("random",),
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory):
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("ppo") / "whole"
    assert train(ppo, folder, tiny)
    return folder


def test_advantages_by_hand():
    """One table: a deal of three decisions, then the beginning of another; half of each surprise is passed back.

    Backwards: at 4: earns 0, will be at 6: 0 + 6 - 5 = 1. At 3: 2 + 5 - 4 = 3, and half of the 1. At 2 the deal ends
    and pays 10: 10 + 0 - 3 = 7. At 1: 0 + 3 - 2 = 1, and half of the 7. At 0: 1 + 2 - 1 = 2, and half of the 4.5.
    """
    values = np.array([[1], [2], [3], [4], [5]], dtype=np.float32)
    rewards = np.array([[1], [0], [10], [2], [0]], dtype=np.float32)
    done = np.array([[False], [False], [True], [False], [False]])
    last = np.array([6], dtype=np.float32)
    estimates = advantages(rewards, done, values, last, traces=np.full((5, 1), 0.5))
    assert estimates[:, 0].tolist() == [2 + 0.5 * 4.5, 1 + 0.5 * 7, 7, 3.5, 1]
    # Without traces only the next state counts; tables do not mix.
    twice = [np.concatenate([array, array], axis=1) for array in (rewards, done, values)]
    both = advantages(*twice, np.concatenate([last, last + 1]), traces=np.zeros((5, 2)))
    assert both[:, 0].tolist() == [2, 1, 7, 3, 1] and both[:, 1].tolist() == [2, 1, 7, 3, 2]


def test_a_seat_is_of_one_side():
    assert sides(np.arange(4)).tolist() == [1, -1, 1, -1]


def test_returns_of_whole_deals(tiny):
    """With a critic that knows nothing and all traces, what a decision returns is what its seat gets for the deal."""
    tables = SelfPlayTables("belote", replace(tiny, steps=120, **ALONE), 0, 0)
    network, cpu = small_network(), torch.device("cpu")
    (played,) = play([tables], network, network, cpu)
    nothing = np.zeros(played.seats.shape, dtype=np.float32)
    last, traces = np.zeros(8, np.float32), np.ones(played.seats.shape)
    estimates = sides(played.seats) * advantages(played.rewards, played.done, nothing, last, traces)
    ends = np.flatnonzero(played.done[:, 0])
    assert len(ends) >= 2
    for begin, end in zip((ends + 1)[:-1], ends[1:], strict=True):
        for t in range(begin, end + 1):
            assert estimates[t, 0] == pytest.approx(played.rewards[end, 0] * sides(played.seats)[t, 0])
    lessons, _ = ppo.lessons_of(played, tables, Critic(16), cpu)
    assert len(lessons) == played.learned.sum()


@pytest.mark.parametrize("game", ["belote", "coinche_plus"])
def test_perfect_play_of_the_last_cards(game, tiny):
    """Of all cards the best is what both sides come to by trying out everything; of earlier cards nothing is told."""
    tables, found = SelfPlayTables(game, tiny, 0, 0), 0
    for seed in range(40):
        state = (played := random_game(tables.rules, seed, 24 + seed % 9)).state
        told, exact = tables.foresee(state[None])
        if played.phase != "play" or state[PLAYED] < 12 or len(played.legal_ids()) == 1:
            assert np.isnan(exact).all() and ppo.best_of(exact)[0] == 0
        elif state[PLAYED] >= 24:
            best = best_score(played, played.seat & 1) / reward_scale(tables.rules)
            assert np.flatnonzero(~np.isnan(exact[0])).tolist() == sorted(played.legal_ids())
            assert ppo.best_of(exact)[0] == told[0, 2] == pytest.approx(best, abs=0.01)
            found += 1
    assert found >= 2


@pytest.mark.parametrize("game", ["belote", "coinche_plus"])
def test_trying_out_is_what_happens(game, tiny):
    """What is tried out in a copy of a state comes to what the same action came to at the table."""
    tables, network = SelfPlayTables(game, replace(tiny, steps=80), 0, 0), small_network()
    (played,) = play([tables], network, network, torch.device("cpu"))
    (before, after), shape = (slice(0, -1), slice(1, None)), played.seats[:-1].shape
    trials = list(tables.try_out(played.states[before].reshape(-1, STATE_SIZE), played.actions[before].reshape(-1)))
    for name in ("observations", "hidden", "prospects", "exact", "seats", "rewards", "done"):
        found = np.concatenate([getattr(trial, name) for trial in trials])
        found = found.reshape(*shape, *found.shape[1:])
        if name in ("rewards", "done"):
            assert (found == getattr(played, name)[before]).all() and found.any()
        else:
            same = np.isclose(found, getattr(played, name)[after], equal_nan=True)
            assert same[~played.done[before]].all()


def test_what_is_expected_of_actions(tiny):
    """Of the likely ones, around what the policy comes to; what is seen at once of the one taken is not luck."""
    tables = SelfPlayTables("belote", replace(tiny, steps=120, call_traces=0.0, card_traces=0.0), 0, 0)
    network, cpu = small_network(), torch.device("cpu")
    (played,) = play([tables], network, network, cpu)
    expected = ppo.expectations(played, tables, Critic(16), cpu)
    told = ~np.isnan(expected)
    assert told.any(2).sum() > 100 and set(told.sum(2).ravel().tolist()) > {0, 2, 3} and not (told.sum(2) == 1).any()
    assert (played.masks[told] == 1).all() and (played.chances[told] > np.log(ppo.LIKELY)).all()
    assert not told[~played.learned].any()

    critic = Critic(16)
    lessons, figures = ppo.lessons_of(played, tables, critic, cpu)
    chosen = lessons.gains != 0
    chances = torch.from_numpy(played.chances[played.learned]).exp()
    assert (chances * lessons.gains).sum(1).abs().max() < 1e-4 and figures["lost/belote"] > 0
    foreseen = chosen.gather(1, lessons.actions[:, None])[:, 0]
    for kind in (lessons.actions < 32, lessons.actions >= 32):
        assert (kind & foreseen).sum() > 10 and lessons.luck[kind & foreseen].std() < 1e-4


def test_what_is_expected_does_not_change_what_is_aimed_at():
    """Over all that could have been done, the gradient is that of the outcomes alone."""
    chances, outcomes = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([1.0, -2.0, 0.5])

    def gradient(gains):
        scores = chances.log().repeat(3, 1).requires_grad_(True)
        logs = torch.log_softmax(scores, 1)
        ratios = (logs.diagonal() - chances.log()).exp()
        weighed = [
            chance * ppo.surrogate(logs[[n]], ratios[[n]], (outcomes - gains)[[n]], gains[None], clip=0.2)
            for n, chance in enumerate(chances)
        ]
        torch.stack(weighed).sum().backward()
        return scores.grad.sum(0)

    without = gradient(torch.zeros(3))
    assert without.abs().min() > 0.01
    assert torch.allclose(gradient(torch.tensor([0.0, -1.5, -0.25])), without, atol=1e-6)


def test_who_sits_where(tiny):
    kinds = SelfPlayTables("coinche", tiny, 0, 0).kinds
    assert [sorted(set(row)) for row in kinds.tolist()] == [[0, 1]] * 2 + [[0, 2]] * 2 + [[0, 3]] * 2 + [[0]] * 2
    assert (kinds[:, 0] == kinds[:, 2]).all() and (kinds[:, 1] == kinds[:, 3]).all()
    assert kinds[0].tolist() == [1, 0, 1, 0] and kinds[1].tolist() == [0, 1, 0, 1]


def test_a_level_at_the_table_plays_as_it_does_elsewhere(tiny):
    """It takes the action of the highest of the values that it tells."""
    tables = SelfPlayTables("coinche", tiny, 0, 0)
    states = np.stack([random_game("coinche", seed, seed % 20).state for seed in range(60)])
    states = states[(states[:, PHASE] != ANNOUNCE) & (states[:, PHASE] != BELOTE)]
    for first in (0, len(states)):
        assert tables.thought == first
        values = action_values(states, tables.rules, CRAZY.budget.times(tiny.level_worlds), 0, first=first)
        actions = tables._by_level(states)
        tried = ~np.isnan(values).all(1)
        assert tried.sum() > 30
        assert (np.nanmax(values[tried], axis=1) == values[tried, actions[tried]]).all()


def test_repeatable(whole, tiny, tmp_path):
    assert train(ppo, tmp_path / "again", tiny)
    assert what_counts(tmp_path / "again") == what_counts(whole)


def test_the_critic_learns_alone_at_first(start, tiny, tmp_path):
    assert train(ppo, tmp_path / "run", replace(tiny, rounds=1, evaluate_every=0))
    before, after = (checkpoint.load(str(folder)).network.state_dict() for folder in (start, tmp_path / "run"))
    assert all(torch.equal(before[name], after[name]) for name in before)
    (line,) = read_progress(tmp_path / "run")
    assert "loss/critic" in line and "loss/policy" not in line


def test_what_a_run_leaves(whole, start):
    figures = read_progress(whole)
    assert [number for number, line in enumerate(figures) if "points/belote/random" in line] == [0, 2, 4, 5]
    assert {"policy/entropy", "policy/kl", "policy/from_reference", "loss/policy"} <= set(figures[2])
    assert "policy/from_reference" not in figures[5]  # let go in the second half
    before, after = (checkpoint.load(str(folder)) for folder in (start, whole))
    assert after.notes["decisions"] == figures[-1]["step"]
    assert before.fingerprint != after.fingerprint


def test_the_chance_of_winning_the_match_as_a_reward(tiny, tmp_path):
    assert train(ppo, tmp_path / "match", replace(tiny, rounds=2, reward="match", rules=("belote",)))
    assert np.isfinite(read_progress(tmp_path / "match")[-1]["loss/critic"])


def test_stopped_and_resumed(whole, tiny, tmp_path, monkeypatch):
    folder, rounds = tmp_path / "stopped", iter([False, False, True] + [False] * 9)
    monkeypatch.setattr(Interrupts, "seen", lambda self: next(rounds))
    assert not train(ppo, folder, tiny)
    assert train(ppo, folder, tiny, resume=True)
    assert what_counts(folder) == what_counts(whole)


def test_killed_and_resumed(whole, tiny, tmp_path):
    folder = tmp_path / "killed"
    killed(ppo, folder, tiny, lines=4)
    assert train(ppo, folder, tiny, resume=True)
    assert what_counts(folder) == what_counts(whole)


def test_a_damaged_state_is_told(whole, tiny, tmp_path):
    train(ppo, tmp_path / "run", replace(tiny, rounds=1, evaluate_every=0))
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is damaged"):
        train(ppo, tmp_path / "run", replace(tiny, rounds=1, evaluate_every=0), resume=True)


def test_mistakes(start, tmp_path, capsys):
    def fails(*argv):
        assert main(["train", "ppo", str(tmp_path / "run"), "--against", "random", *argv]) == 2
        *notices, message = capsys.readouterr().err.splitlines()
        assert message.startswith("belote: ") and all("compiling" in notice for notice in notices)
        return message

    assert "give the checkpoint to begin from" in fails()
    assert "there is no checkpoint" in fails("--start", str(tmp_path))
    given = ("--start", str(start), "--rules", "belote")
    assert "was trained for belote, coinche, and does not play contree" in fails(*given, "contree")
    assert "reward is 'points', expected score or match" in fails(*given, "--reward", "points")
    assert "level_share are more than 1 together" in fails(*given, "--level-share", "0.9")
    assert "epochs is 0, expected 1 or more" in fails(*given, "--epochs", "0")
    assert "evaluate_every is -5" in fails(*given, "--evaluate-every", "-5")
    assert not (tmp_path / "run").exists()


def test_from_the_command_line(tmp_path, capsys):
    """Distil, improve by self-play, evaluate."""
    distilled, improved = str(tmp_path / "distilled"), str(tmp_path / "improved")
    small = ["--rules", "belote", "--tables", "16", "--steps", "4", "--rounds", "2", "--minibatches", "1"]
    small += ["--evaluate-every", "2", "--evaluation-deals", "2", "--against", "random"]
    sizes = ["--bidding-width", "16", "--play-width", "16", "--ending-width", "16"]
    sizes += ["--imagined-calls", "0", "--imagined-cards", "0", "--imagined-endings", "0"]
    assert main(["train", "distill", distilled, *small, *sizes]) == 0
    assert main(["train", "ppo", improved, *small, "--start", distilled, "--warm-up", "1"]) == 0
    progress = capsys.readouterr().err
    assert "round 2/2" in progress and "belote: random " in progress
    assert main(["eval", f"net:{improved}", "random", "--deals", "4", "--workers", "1"]) == 0
    assert f"net:{improved}" in capsys.readouterr().out.replace("\n", "")
    assert main(["eval", f"net:{improved}", "random", "--rules", "coinche", "--deals", "4"]) == 2
    assert "was trained for belote, and does not play coinche" in capsys.readouterr().err
    assert main(["curves", distilled, improved, "--out", str(tmp_path / "curves.png")]) == 0
