"""`belote eval`: the table, the JSON, Ctrl-C, and the user's mistakes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from agents import registry
from belote_cli import main
from belote_env import Rules
from training import arena
from training.arena import compare


@pytest.fixture
def fails(capsys):
    def check(*argv: str) -> str:
        assert main(["eval", *argv]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.startswith("belote: ") and captured.err.count("\n") == 1
        return captured.err

    return check


def test_table_and_json(capsys, tmp_path):
    path = tmp_path / "result.json"
    code = main(["eval", "easy", "random", "--rules", "coinche", "--set", "target=2000", "--deals", "20", "--seed", "3",
                 "--json", str(path)])  # fmt: skip
    assert code == 0
    captured = capsys.readouterr()
    header, row, footer = captured.out.splitlines()
    result = compare(("easy", "random"), Rules.preset("coinche", target=2000), 20, 3)
    assert row.startswith("coinche (target=2000)")
    assert f"{result.mean_difference:+.2f} ± {result.half_width:.2f}" in row
    for side in result.contracts:
        assert f"{side.bid}/{side.made}/{side.doubled}" in row
    assert "95% confidence" in footer and "A = easy, B = random" in footer and "each played twice" in footer
    assert len(header) == len(row)
    assert captured.err.strip() in (
        "",
        "compiling the engine, once: this takes up to a minute, later starts are instant",
    )
    data = json.loads(path.read_text())
    expected = result.to_dict()
    for key in ("agents", "rules", "deals", "seed", "mean_difference", "ci95", "contracts", "thrown_in"):
        assert data[key] == expected[key]
    assert os.listdir(tmp_path) == ["result.json"]


def test_all_rules(capsys, tmp_path):
    path = tmp_path / "all.json"
    assert main(["eval", "easy", "random", "--rules", "all", "--deals", "2", "--json", str(path)]) == 0
    _, *rows, _ = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == list(Rules.presets())
    assert len(set(map(len, rows))) == 1
    assert [entry["rules"]["preset"] for entry in json.loads(path.read_text())] == list(Rules.presets())


def test_one_deal(capsys, tmp_path):
    path = tmp_path / "one.json"
    assert main(["eval", "easy", "random", "--deals", "1", "--json", str(path)]) == 0
    assert "± is" in capsys.readouterr().out
    assert json.loads(path.read_text())["ci95"] is None


def test_long_names_stay_aligned(capsys):
    options = ["litige=none", "declarations=false", "target=2000", "reshuffle=false"]
    assert main(["eval", "random", "random", "--deals", "2", "--set", *options]) == 0
    header, row, _ = capsys.readouterr().out.splitlines()
    assert len(header) == len(row) and row.index("/") < len(header)


def test_progress_on_a_terminal(monkeypatch, capsys):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["eval", "easy", "random", "--deals", "30"]) == 0
    text = terminal.getvalue()
    assert "1/30" in text and "deals/s" in text and "s left" in text
    assert text.endswith("\r\033[K")


def test_interrupt(monkeypatch, capsys, tmp_path):
    path = tmp_path / "part.json"
    play = arena.play_duplicate

    def stop(agents, rules, seed, deal):
        if deal == 3 and rules.base == "coinche":
            raise KeyboardInterrupt
        return play(agents, rules, seed, deal)

    monkeypatch.setattr(arena, "play_duplicate", stop)
    assert main(["eval", "easy", "random", "--rules", "all", "--deals", "5", "--json", str(path)]) == 130
    captured = capsys.readouterr()
    assert "stopped after 3 of 5 deals of coinche" in captured.err
    assert [line.split()[0] for line in captured.out.splitlines()] == ["rules", "belote", "coinche", "A"]
    assert [(entry["deals"], entry["interrupted"]) for entry in json.loads(path.read_text())] == [(5, False), (3, True)]


def test_interrupt_before_the_first_deal(monkeypatch, tmp_path):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(arena, "play_duplicate", stop)
    path = tmp_path / "none.json"
    assert main(["eval", "easy", "random", "--deals", "5", "--json", str(path)]) == 130
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child")
def test_a_real_ctrl_c(tmp_path):
    path = tmp_path / "part.json"
    (tmp_path / "slow_agent.py").write_text(
        "import pathlib, agents.easy\n"
        "def make(rules, seed):\n"
        "    pathlib.Path('made').write_text(str(1 + int(pathlib.Path('made').read_text() or 0)))\n"
        "    return agents.easy.EasyAgent(seed)\n"
    )
    (tmp_path / "made").write_text("0")
    command = [sys.executable, "-c", "import sys, belote_cli; sys.exit(belote_cli.main(sys.argv[1:]))"]
    command += ["eval", "slow_agent:make", "random", "--deals", "1000000", "--json", str(path)]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        while process.poll() is None and int((tmp_path / "made").read_text() or 0) < 30:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "stopped after" in err and "Traceback" not in err
    data = json.loads(path.read_text())
    assert data["interrupted"] and 1 <= data["deals"] < 1000000
    assert f"{data['mean_difference']:+.2f}" in out


def test_mistakes(fails, tmp_path, monkeypatch):
    assert "unknown agent 'eazy': did you mean 'easy'?" in fails("eazy", "random")
    assert "unknown agent 'hrad:5'" in fails("easy", "hrad:5")
    assert "unknown preset 'belot': did you mean 'belote'?" in fails("easy", "random", "--rules", "belot")
    assert "unknown option 'targt'" in fails("easy", "random", "--set", "targt=5")
    assert "--deals is 0, expected 1 or more" in fails("easy", "random", "--deals", "0")
    assert "--seed is -1, expected 0 or more" in fails("easy", "random", "--seed", "-1")
    assert "invalid int value" in fails("easy", "random", "--deals", "many")
    # A path that cannot be written is told before anything is played.
    monkeypatch.setattr(arena, "play_duplicate", lambda *arguments: pytest.fail("played"))
    for path in (tmp_path / "no" / "such.json", tmp_path, ""):
        assert "expected a file in a folder that can be written to" in fails("easy", "random", "--json", str(path))


def test_an_agent_that_plays_one_rule_set_only(fails, monkeypatch):
    def picky(rules, seed):
        if rules.base != "belote":
            raise ValueError(f"picky plays belote only, not {rules}")
        return registry.make("easy", rules, seed)

    monkeypatch.setitem(registry._FACTORIES, "picky", (picky, False))
    assert "picky plays belote only, not coinche" in fails("picky", "random", "--rules", "all")


def test_help_says_what_deals_counts(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["eval", "--help"])
    assert stopped.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "distinct deals, each played twice" in text and "95% interval" in text
