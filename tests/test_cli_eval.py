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
                 "--workers", "1", "--json", str(path)])  # fmt: skip
    assert code == 0
    captured = capsys.readouterr()
    result = compare(("easy", "random"), Rules.preset("coinche", target=2000), 20, 3)
    assert "protocol team, seed 3" in captured.out and "coinche (target=2000)" in captured.out
    assert f"{result.mean_difference:+.2f} ± {result.half_width:.2f}" in captured.out
    for side in result.sides:
        assert f"{side.bid}/{side.made}/{side.doubled}" in captured.out
    assert "95% confidence" in captured.out and "each played twice" in captured.out
    for detail in ("points when taking", "Contracts by value: bid/made/doubled", "by bootstrap", "median"):
        assert detail in captured.out
    assert captured.err.strip() in (
        "",
        "compiling the engine, once: this takes up to a minute, later starts are instant",
    )
    data = json.loads(path.read_text())
    expected = result.to_dict()
    for key in ("agents", "rules", "deals", "seed", "mean_difference", "ci95", "bootstrap95", "thrown_in"):
        assert data[key] == expected[key]
    assert os.listdir(tmp_path) == ["result.json"]


def test_all_rules(capsys, tmp_path):
    path = tmp_path / "all.json"
    assert (
        main(["eval", "easy", "random", "--rules", "all", "--deals", "2", "--workers", "1", "--json", str(path)]) == 0
    )
    _, _, *rows = capsys.readouterr().out.splitlines()
    rows = rows[: len(Rules.presets())]
    assert [row.split()[2] for row in rows] == list(Rules.presets())
    assert len(set(map(len, rows))) == 1
    assert [entry["rules"]["preset"] for entry in json.loads(path.read_text())] == list(Rules.presets())


def test_matches_at_the_table_against_several(capsys, tmp_path):
    path = tmp_path / "several.json"
    argv = ["eval", "random", "easy", "normal", "--match", "--protocol", "table", "--deals", "2", "--set", "target=100"]
    assert main([*argv, "--json", str(path)]) == 0
    out = capsys.readouterr().out
    assert "points a match" in out and "A wins %" in out and "each played four times" in out
    one, two = json.loads(path.read_text())
    assert (one["agents"], two["agents"]) == (["random", "easy"], ["random", "normal"])
    assert sum(one["won"]) == sum(two["won"]) == 8


def test_all_pairs(capsys, tmp_path):
    pytest.importorskip("choix")
    path = tmp_path / "pairs.json"
    argv = ["eval", "random", "easy", "bid:easy+play:random", "--all-pairs", "--deals", "8", "--workers", "1"]
    assert main([*argv, "--rules", "coinche", "--json", str(path)]) == 0
    out = capsys.readouterr().out
    assert "row - column" in out and "Elo" in out
    data = json.loads(path.read_text())
    assert len(data["results"]) == 3 and len(data["ratings"]) == 3
    assert data["ratings"][0]["elo"] >= data["ratings"][-1]["elo"] and data["ratings"][0]["games"] == 16


def test_report(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("choix")
    one, many = tmp_path / "one", tmp_path / "many"
    argv = ["--deals", "6", "--workers", "1", "--rules", "coinche", "--report"]
    assert main(["eval", "easy", "random", *argv, str(one)]) == 0
    assert main(["eval", "easy", "random", "bid:easy+play:random", "--all-pairs", *argv, str(many)]) == 0
    assert sorted(os.listdir(one)) == ["contracts.png", "index.html", "report.md"]
    assert sorted(os.listdir(many)) == ["index.html", "ladder-coinche.png", "report.md", "time-coinche.png"]
    for folder in (one, many):
        page = (folder / "index.html").read_text()
        assert "easy" in page and "src=" in page and page.count("<table>") >= 3
        # Everything is in it: nothing is fetched.
        assert page.count("src=") == page.count('src="data:image/png;base64,') and "http" not in page
        assert "| easy |" in (folder / "report.md").read_text()
        for name in os.listdir(folder):
            if name.endswith(".png"):
                assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_until_sure(capsys):
    assert main(["eval", "easy", "random", "--deals", "500", "--workers", "1", "--until-sure", "0.99"]) == 0
    assert "always-valid 99%" in capsys.readouterr().out


def test_one_deal(capsys, tmp_path):
    path = tmp_path / "one.json"
    assert main(["eval", "easy", "random", "--deals", "1", "--workers", "1", "--json", str(path)]) == 0
    assert "± is" in capsys.readouterr().out
    assert json.loads(path.read_text())["ci95"] is None


def test_progress_on_a_terminal(monkeypatch, capsys):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["eval", "easy", "random", "--deals", "30", "--workers", "1"]) == 0
    text = terminal.getvalue()
    assert "30/30" in text and "/s" in text and "±" in text and "easy - random, belote" in text


def test_a_store_is_played_once(capsys, tmp_path, monkeypatch):
    argv = ["eval", "easy", "random", "--deals", "5", "--workers", "1", "--store", str(tmp_path / "results.sqlite")]
    assert main(argv) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr(arena, "play_together", lambda *arguments: pytest.fail("played"))
    assert main(argv) == 0
    assert capsys.readouterr().out == first


def test_interrupt(monkeypatch, capsys, tmp_path):
    path = tmp_path / "part.json"
    play = arena.play_together

    def stop(pairing, deals):
        if 3 in deals and pairing.rules.base == "coinche":
            raise KeyboardInterrupt
        return play(pairing, deals)

    monkeypatch.setattr(arena, "play_together", stop)
    argv = ["eval", "easy", "random", "--rules", "all", "--deals", "5", "--workers", "1", "--json", str(path)]
    assert main(argv) == 130
    captured = capsys.readouterr()
    assert "stopped after 3 of 5 deals of coinche" in captured.err
    assert [line.split()[2] for line in captured.out.splitlines()[2:4]] == ["belote", "coinche"]
    assert [(entry["deals"], entry["interrupted"]) for entry in json.loads(path.read_text())] == [(5, False), (3, True)]


def test_interrupt_before_the_first_deal(monkeypatch, tmp_path):
    play = arena.play_together

    def stop(pairing, deals):
        if pairing.rules.base == stopped:
            raise KeyboardInterrupt
        return play(pairing, deals)

    monkeypatch.setattr(arena, "play_together", stop)
    stopped = "coinche"
    path = tmp_path / "one.json"
    argv = ["eval", "easy", "random", "--rules", "all", "--deals", "2", "--workers", "1", "--json", str(path)]
    assert main(argv) == 130
    assert [entry["rules"]["preset"] for entry in json.loads(path.read_text())] == ["belote"]
    stopped = "belote"
    path = tmp_path / "none.json"
    assert main(["eval", "easy", "random", "--deals", "5", "--workers", "1", "--json", str(path)]) == 130
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_real_ctrl_c(tmp_path, workers):
    path = tmp_path / "part.json"
    (tmp_path / "slow_agent.py").write_text(
        "import pathlib, agents.easy\n"
        "def make(rules, seed):\n"
        "    with pathlib.Path('made').open('a') as file: file.write('.')\n"
        "    return agents.easy.EasyAgent(seed)\n"
    )
    (tmp_path / "made").touch()
    command = [sys.executable, "-c", "import sys, belote_cli; sys.exit(belote_cli.main(sys.argv[1:]))"]
    command += ["eval", "slow_agent:make", "random", "--deals", "1000000", "--workers", workers, "--json", str(path)]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        while process.poll() is None and (tmp_path / "made").stat().st_size < 1000:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
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
    assert "--workers is 0, expected 1 or more" in fails("easy", "random", "--workers", "0")
    assert "--until-sure is 2, expected" in fails("easy", "random", "--until-sure", "2")
    assert "given twice" in fails("easy", "random", "random")
    assert "write bid:X+play:Y" in fails("easy", "bid:easy")
    assert "--seed is -1, expected 0 or more" in fails("easy", "random", "--seed", "-1")
    assert "invalid int value" in fails("easy", "random", "--deals", "many")
    (tmp_path / "text").write_text("no database, but long enough to be told from an empty one" * 20)
    assert "not a file of results" in fails("easy", "random", "--store", str(tmp_path / "text"))
    both = str(tmp_path / "both")
    assert "--json and --store name the same file" in fails("easy", "random", "--json", both, "--store", both)
    # A path that cannot be written is told before anything is played.
    monkeypatch.setattr(arena, "play_together", lambda *arguments: pytest.fail("played"))
    for path in (tmp_path / "no" / "such.json", tmp_path, ""):
        assert "expected a file in a folder that can be written to" in fails("easy", "random", "--json", str(path))
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path / "file", tmp_path / "file" / "in it", tmp_path / "link", ""):
        assert "expected a folder that can be written to, or made" in fails("easy", "random", "--report", str(path))


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
