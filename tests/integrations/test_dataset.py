"""``belote dataset``: what it writes is what was played, in both formats, and its mistakes are one line."""

from __future__ import annotations

import numpy as np
import pytest

from belote_cli import main
from belote_env import Rules
from belote_env.warmup import warm_up
from training.dataset import Plan, play, write_parquet

pytestmark = pytest.mark.integrations

pq = pytest.importorskip("pyarrow.parquet")

RULES = Rules.preset("belote")
DEALS = 12


def trajectories(workers=1):
    return list(play(Plan(("easy", "random"), RULES, seed=3), DEALS, workers))


def test_trajectories_are_a_learners():
    """Each seat sees its own deal, acts within its mask, and the sides earn opposite scores; workers change nothing."""
    found = trajectories()
    for one in found:
        steps = len(one.actions)
        assert one.observations.shape[0] == one.action_masks.shape[0] == steps + 1 and steps > 0
        assert (one.action_masks[np.arange(steps), one.actions] == 1).all() and not one.action_masks[-1].any()
    for deal in range(DEALS):
        rewards = {one.seat: one.reward for one in found if one.deal == deal}
        assert rewards[0] == rewards[2] == -rewards[1] == -rewards[3]
    again = trajectories(workers=2)
    assert all((a.observations == b.observations).all() for a, b in zip(found, again, strict=True))


def test_parquet(tmp_path, capsys):
    path = tmp_path / "deals.parquet"
    options = ["--rules", "belote", "--deals", str(DEALS), "--seed", "3", "--parquet", str(path)]
    assert main(["dataset", "easy", "random", *options]) == 0
    found = trajectories()
    table = pq.read_table(path)
    assert f"{table.num_rows} decisions" in capsys.readouterr().out
    actions = np.concatenate([one.actions for one in found])
    observations = np.concatenate([one.observations[:-1] for one in found])
    assert (table["action"].to_numpy() == actions).all()
    assert (np.stack(table["observation"].to_numpy()) == observations).all()
    assert table["reward"].to_pylist() == [one.reward for one in found for _ in one.actions]
    assert table["seat"].to_pylist() == [one.seat for one in found for _ in one.actions]


def test_a_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "deals.parquet"
    path.write_text("old")

    def broken_off():
        yield from trajectories()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parquet(broken_off(), path)
    assert [file.name for file in tmp_path.iterdir()] == ["deals.parquet"] and path.read_text() == "old"


def test_minari(tmp_path, monkeypatch, capsys):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    command = ["dataset", "easy", "--deals", "5", "--minari", "belote/coinche/easy-v0"]
    assert main(command) == 0
    dataset = minari.load_dataset("belote/coinche/easy-v0")
    found = list(play(Plan(("easy", "easy"), Rules.preset("coinche")), 5))
    assert dataset.total_episodes == len(found)
    for episode, one in zip(dataset.iterate_episodes(), found, strict=True):
        assert (episode.observations["observation"] == one.observations).all()
        assert (episode.actions == one.actions).all()
        assert episode.rewards[-1] == pytest.approx(one.reward) and episode.terminations[-1]
    env = dataset.recover_environment()
    assert env.unwrapped.rules == Rules.preset("coinche")
    assert env.observation_space == dataset.observation_space
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["easy", "--minari", "a-v0", "--parquet", "b"], "not allowed with"),
        (["easy"], "one of the arguments --minari --parquet is required"),
        (["easy", "easy", "easy", "--parquet", "x"], "3 agents, expected one for all seats or one for each side"),
        (["eazy", "--parquet", "x"], "unknown agent 'eazy'"),
        (["easy", "--deals", "0", "--parquet", "x"], "--deals is 0, expected 1 or more"),
        (["easy", "--parquet", "no/such/folder"], "expected a file in a folder that can be written to"),
        (["easy", "--minari", "not a name"], "belote:"),
    ],
)
def test_mistakes(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    warm_up()
    capsys.readouterr()  # whether it compiled
    assert main(["dataset", "--deals", "2", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
