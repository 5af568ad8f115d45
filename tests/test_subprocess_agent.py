"""Bots as processes: the same game as an agent in Python, and nothing that a bot does stops a run."""

from __future__ import annotations

import base64
import json
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from agents import subprocess_agent
from agents.identity import identity
from agents.registry import make
from agents.subprocess_agent import request
from belote_env import Game, Rules
from training.arena import compare
from training.store import Store

COINCHE = Rules.preset("coinche")
BOTS = Path(__file__).parent / "bots.py"
EXAMPLE = Path(__file__).parent.parent / "docs" / "example_bot.mjs"


def bot(how, limit=5.0):
    return f"exec:limit={limit} {sys.executable} {BOTS} {how}"


@pytest.fixture(autouse=True)
def ended():
    yield
    subprocess_agent.end_all()


def test_a_bot_plays_as_an_agent_does():
    for rules in (COINCHE, Rules.preset("belote", announce="choose")):
        one = compare((bot("first"), "easy"), rules, 6, 1)
        two = compare(("test_arena:Lowest", "easy"), rules, 6, 1)
        assert one.differences == two.differences and one.sides[0].contracts == two.sides[0].contracts
        assert not one.sides[0].faults


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ("crash", "crash"),
        ("hang", "timeout"),
        ("cheat", "illegal"),
        ("nonsense", "illegal"),
        ("wrong-id", "illegal"),
        ("list", "illegal"),
        ("endless", "illegal"),
        ("deaf", "illegal"),
    ],
)
def test_bad_bots(how, fault, tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess_agent, "START_UP", 5.0 if how != "hang" else 0.0)
    start = time.perf_counter()
    with Store(tmp_path / "store") as store:
        result = compare((bot(how, 0.7), "easy"), COINCHE, 2, 1, store=store)
        assert result.deals == 2 and result.sides[0].faults[fault] >= 1
        assert not result.sides[1].faults
        # An action that is not legal costs that action; the other faults cost the rest of the deal.
        assert how == "deaf" or (result.sides[0].faults["forfeited"] > 0) == (how not in ("cheat", "list"))
        assert compare((bot(how, 0.7), "easy"), COINCHE, 2, 1, store=store).to_dict() == result.to_dict()
    assert time.perf_counter() - start < 60
    subprocess_agent.end_all()
    assert not [thread for thread in threading.enumerate() if thread.name.endswith("(_read)")]


def test_faults_in_two_workers(tmp_path):
    result = compare((bot("cheat"), "easy"), COINCHE, 4, 1, workers=2)
    assert result.deals == 4 and result.sides[0].faults["illegal"] >= 4
    assert result.differences == compare((bot("cheat"), "easy"), COINCHE, 4, 1).differences


def test_each_seat_has_its_own_process():
    compare((bot("first"), "easy"), COINCHE, 2, 1)
    assert sorted(seat for _, seat in subprocess_agent._running) == [0, 1, 2, 3]


def test_a_question():
    game = Game(COINCHE, seed=2)
    for action in ("pass", "bid 80H", "bid 100S", "coinche", "pass", "pass"):
        game.step(action)
    game.step(game.legal_ids()[0])
    view = game.view()
    asked = json.loads(json.dumps(request(view, 7)))
    assert (asked["protocol"], asked["id"], asked["phase"]) == ("belote-bot/1", 7, "play")
    second, third = (game.dealer + 2) % 4, (game.dealer + 3) % 4
    assert asked["bids"] == [
        {"seat": second, "value": 80, "denomination": "H"},
        {"seat": third, "value": 100, "denomination": "S"},
    ]
    assert asked["contract"] == {"seat": third, "value": 100, "denomination": "S", "doubled": 2}
    assert asked["legal"] == game.legal_actions() and asked["hand"] == view.hand
    assert asked["tricks"] == [asked["trick"]] and len(asked["trick"]) == 1
    assert np.array_equal(np.frombuffer(base64.b64decode(asked["observation"]), np.uint8), view.observation)
    # The table of docs/protocol.md names every key.
    text = (EXAMPLE.parent / "protocol.md").read_text()
    assert all(f"`{key}`" in text for key in asked)


def test_identity_follows_the_program(tmp_path):
    program = tmp_path / "bot.py"
    program.write_text("1")
    spec = f"exec:{sys.executable} {program}"
    before = identity(spec, COINCHE)
    program.write_text("2")
    assert identity(spec, COINCHE) != before


def test_mistakes():
    for spec in ("exec", "exec:", "exec:no-such-program-here"):
        with pytest.raises(ValueError, match="no such program"):
            make(spec, COINCHE)
    for limit in ("0", "x", "-1"):
        with pytest.raises(ValueError, match="number of seconds"):
            make(f"exec:limit={limit} {sys.executable}", COINCHE)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
@pytest.mark.parametrize("preset", Rules.presets())
def test_the_example_in_javascript(preset):
    result = compare((f"exec:node {EXAMPLE}", "test_arena:Lowest"), Rules.preset(preset), 8, 1)
    assert not result.sides[0].faults
    assert preset == "decouverte" or result.sides[0].bid > 0
