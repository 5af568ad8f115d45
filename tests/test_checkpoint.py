"""Policies on disk: what is written is what is read, and what is damaged is told in a line."""

from __future__ import annotations

import hashlib
import json
import math

import pytest

pytest.importorskip("torch")

import torch
from decisions import SMALL, small_network, some_views

from agents import checkpoint
from agents.checkpoint import DESCRIPTION, WEIGHTS
from agents.identity import identity
from agents.registry import make
from belote_cli import main
from belote_env import Rules

GAMES = [Rules.preset("belote"), Rules.preset("coinche", surcoinche="none")]


@pytest.fixture
def saved(tmp_path):
    folder = tmp_path / "saved"
    checkpoint.save(folder, small_network(), GAMES, {"hours": 2})
    return folder


def test_round_trip(saved):
    found = checkpoint.load(str(saved))
    before, after = small_network().state_dict(), found.network.state_dict()
    assert list(before) == list(after) and all(torch.equal(before[name], after[name]) for name in before)
    assert found.network.sizes == SMALL and not found.network.training
    assert not any(weights.requires_grad for weights in found.network.parameters())
    assert found.rules == tuple(GAMES) and found.notes == {"hours": 2}
    assert found.fingerprint == hashlib.sha256((saved / WEIGHTS).read_bytes()).hexdigest()


def test_weights_may_be_kept_in_half_precision(saved, tmp_path):
    checkpoint.save(tmp_path / "half", small_network(), GAMES, precision=torch.float16)
    found, network = checkpoint.load(str(tmp_path / "half")).network, small_network()
    for mine, its in zip(found.parameters(), network.parameters(), strict=True):
        assert mine.dtype == torch.float32
        torch.testing.assert_close(mine, its, atol=1e-4, rtol=1e-3)
    assert (tmp_path / "half" / WEIGHTS).stat().st_size < 0.6 * (saved / WEIGHTS).stat().st_size


def test_it_plays(saved, tmp_path):
    (tmp_path / "run").mkdir()
    saved.rename(tmp_path / "run" / "policy")
    agent, again = (make(f"net:{tmp_path / 'run'}", GAMES[0], seed) for seed in (1, 2))  # a run's policy, by the run
    assert agent.mind is again.mind
    views = some_views("belote", 20)
    assert agent.mind.choose(views) == [agent.act(view) for view in views]
    assert make(f"net:{tmp_path / 'run'}", Rules.preset("belote", target=2000), 1)  # the target does not matter


def test_a_policy_that_was_written_anew_is_another(saved):
    spec = f"net:{saved}"
    before, mind = identity(spec, GAMES[0]), make(spec, GAMES[0]).mind
    checkpoint.save(saved, small_network(seed=1), GAMES)
    assert identity(spec, GAMES[0]) != before and make(spec, GAMES[0]).mind is not mind


def change_description(**changes):
    def damage(folder):
        path = folder / DESCRIPTION
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return damage


def change_weights(change):
    return lambda folder: (folder / WEIGHTS).write_bytes(change((folder / WEIGHTS).read_bytes()))


DAMAGES = {
    "no weights": (lambda folder: (folder / WEIGHTS).unlink(), "cannot be read: "),
    "no description": (lambda folder: (folder / DESCRIPTION).unlink(), "there is no checkpoint"),
    "no JSON": (lambda folder: (folder / DESCRIPTION).write_text("{"), "cannot be read: "),
    "no object": (lambda folder: (folder / DESCRIPTION).write_text("[]"), "is not a description of the format"),
    "another format": (change_description(format="belote-policy/1"), "of the format belote-policy/2"),
    "another observation": (change_description(observation="0" * 16), "made for another version of the observation"),
    "truncated": (change_weights(lambda data: data[:-10]), "is truncated or not the one that"),
    "a changed byte": (change_weights(lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]), "is truncated or"),
    "other sizes": (change_description(sizes={**SMALL.to_dict(), "play_width": 24}), "PolicyNetwork"),
    "unknown sizes": (change_description(sizes={"depth": 3}), "depth"),
    "unknown rules": (change_description(rules=[{"preset": "bridge"}]), "unknown preset 'bridge'"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=list(DAMAGES))
def test_damaged(saved, capsys, damage, message):
    damage(saved)
    assert main(["eval", f"net:{saved}", "random", "--deals", "2"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("belote: ") and captured.err.count("\n") == 1
    assert message in captured.err and str(saved) in captured.err


def test_weights_that_are_no_numbers(saved):
    network = small_network()
    with torch.no_grad():
        network.play.cards.bias[0] = math.nan
    checkpoint.save(saved, network, GAMES)
    with pytest.raises(ValueError, match="holds weights that are no numbers"):
        checkpoint.load(str(saved))


def test_another_game(saved, capsys):
    for rules in (["--rules", "contree"], ["--rules", "coinche"], ["--set", "litige=none"]):
        assert main(["eval", f"net:{saved}", "random", "--deals", "2", *rules]) == 2
        message = capsys.readouterr().err
        assert "was trained for belote, coinche (surcoinche=none), and does not play" in message


def test_no_such_name(capsys):
    for name in ("net", "net:", "net:nothing"):
        assert main(["eval", name, "random", "--deals", "2"]) == 2
        assert "there is no checkpoint" in capsys.readouterr().err
