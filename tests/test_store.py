"""The store of results: nothing played twice, nothing lost but the last moment, nothing mixed up."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from agents import identity as identity_module
from agents.identity import identity
from belote_cli import main
from belote_env import Rules
from training import arena
from training.arena import compare
from training.duplicate import Pairing
from training.lockstep import play_together
from training.store import Store, StoreError

BELOTE = Rules.preset("belote")
PAIRING = Pairing(("easy", "random"), BELOTE, 1)


def play(pairing, number):
    return play_together(pairing, [number])[0]


def test_what_is_kept_comes_back(tmp_path):
    outcomes = {number: play(PAIRING, number) for number in (0, 3, 7)}
    with Store(tmp_path / "store") as store:
        for number, outcome in outcomes.items():
            store.add(PAIRING, number, outcome)
    with Store(tmp_path / "store") as store:
        assert store.load(PAIRING, 7) == {0: outcomes[0], 3: outcomes[3]}
        assert store.load(PAIRING, 8) == outcomes
        turned = Pairing(("random", "easy"), BELOTE, 1)
        assert store.load(turned, 8) == {number: outcome.turned() for number, outcome in outcomes.items()}
        for other in (
            Pairing(("easy", "random"), BELOTE, 2),
            Pairing(("easy", "easy"), BELOTE, 1),
            Pairing(("easy", "random"), Rules.preset("belote", litige="none"), 1),
            Pairing(("easy", "random"), BELOTE, 1, "table"),
            Pairing(("random", "easy"), BELOTE, 1, "table"),
            Pairing(("easy", "random"), BELOTE, 1, match=True),
        ):
            assert store.load(other, 8) == {}


def test_a_run_takes_up_where_another_stopped(tmp_path, monkeypatch):
    whole = compare(("easy", "random"), BELOTE, 9, 1)
    with Store(tmp_path / "store") as store:
        compare(("random", "easy"), BELOTE, 4, 1, store=store)
        played = []
        monkeypatch.setattr(arena, "play_together", lambda *task: played.extend(task[1]) or play_together(*task))
        result = compare(("easy", "random"), BELOTE, 9, 1, store=store)
        assert played == [4, 5, 6, 7, 8]
        assert result.differences == whole.differences
        assert result.sides[0].contracts == whole.sides[0].contracts


def test_it_only_grows(tmp_path):
    one, two = play(PAIRING, 0), play(PAIRING, 1)
    with Store(tmp_path / "store") as store:
        store.add(PAIRING, 0, one)
        store.add(PAIRING, 0, two)
        assert store.load(PAIRING, 1) == {0: one}
    for statement in ("UPDATE outcomes SET number = 5", "DELETE FROM outcomes"):
        with (
            sqlite3.connect(tmp_path / "store") as connection,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            connection.execute(statement)


def test_a_database_of_somebody_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE outcomes (mine TEXT)")
    connection.close()
    before = (tmp_path / "other").read_bytes()
    with pytest.raises(ValueError, match="not a file of results: it holds the tables outcomes"):
        Store(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == before


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="unable to open"):
        Store(tmp_path)


def test_damage_is_told(tmp_path, capsys):
    path = tmp_path / "store"
    outcome = play(PAIRING, 0)
    with Store(path) as store:
        for number in range(200):
            store.add(PAIRING, number, outcome)
    whole = path.read_bytes()
    argv = ["eval", "easy", "random", "--seed", "1", "--deals", "200", "--workers", "1", "--store", str(path)]
    # A page that is none, and a text that is no outcome any more.
    for start, damage in ((len(whole) // 8192 * 4096, b"\xff" * 4096), (whole.rindex(b"[[["), b"[[{")):
        path.write_bytes(whole[:start] + damage + whole[start + len(damage) :])
        with Store(path) as store, pytest.raises(StoreError, match="damaged"):
            store.load(PAIRING, 200)
        assert main(argv) == 2
        *_, message = capsys.readouterr().err.splitlines()
        assert message.startswith(f"belote: {path}: damaged, or it cannot be used: ")


def test_identities(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    source = "class Own:\n    def __init__(self, rules, seed): pass\n    def act(self, view): return view.legal[0]\n"
    (tmp_path / "own_agent.py").write_text(source)
    specs = ("easy", "crazy", "crazy:2", "bid:easy+play:crazy", "bid:own_agent:Own+play:easy", "own_agent:Own")
    before = [identity(spec, BELOTE) for spec in specs]
    assert before == [identity(spec, BELOTE) for spec in specs] and len(set(before)) == len(specs)
    assert all(found.startswith(f"{spec}@") for found, spec in zip(before, specs, strict=True))
    (tmp_path / "own_agent.py").write_text(source + "\n")
    after = [identity(spec, BELOTE) for spec in specs]
    assert [a == b for a, b in zip(after, before, strict=True)] == [True, True, True, True, False, False]
    sys.modules["own_agent"].Own.fingerprint = "weights 2"
    assert identity("own_agent:Own", BELOTE) != after[-1]
    monkeypatch.setattr(identity_module, "_shipped", lambda: b"another engine")
    assert identity("easy", BELOTE) != before[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_kill_and_resume(tmp_path, workers):
    path = tmp_path / "store"
    program = (
        "from belote_env import Rules; from training.arena import compare; from training.store import Store\n"
        f"compare(('easy', 'random'), Rules.preset('belote'), 10**6, 1, workers={workers}, store=Store({str(path)!r}))"
    )
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    process = subprocess.Popen([sys.executable, "-c", program], cwd=root, start_new_session=True)
    try:
        while process.poll() is None and not (path.exists() and _kept(path)):
            time.sleep(0.1)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = _kept(path)
    assert kept > 0
    deals = kept + 20
    with Store(path) as store:
        assert sorted(store.load(PAIRING, 10**6)) == list(range(kept))
        resumed = compare(("easy", "random"), BELOTE, deals, 1, store=store)
    whole = compare(("easy", "random"), BELOTE, deals, 1)
    assert resumed.differences == whole.differences
    assert [side.contracts for side in resumed.sides] == [side.contracts for side in whole.sides]


def _kept(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT count(*) FROM outcomes").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        connection.close()
