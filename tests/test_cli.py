"""The command `belote`: the frame, `rules` and `replay`."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from referee import PRESETS
from test_record import FULL, RANDOM, TURNED

import belote_cli
from belote_cli import main
from belote_env import Rules
from belote_env.replay import trace


@pytest.fixture
def fails(capsys):
    """Check that a command fails as the user's mistake does, and return what it says."""

    def check(*argv: str) -> str:
        assert main(argv) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("belote: ") and captured.err.count("\n") == 1 and captured.err.endswith("\n")
        return captured.err.removeprefix("belote: ").rstrip("\n")

    return check


@pytest.fixture
def deal(tmp_path):
    def write(*records: object, name: str = "deal.json") -> str:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        return str(path)

    return write


def test_rules(capsys):
    assert main(["rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(Rules.presets())
    for preset in PRESETS:
        assert main(["rules", preset]) == 0
        assert capsys.readouterr().out == Rules.preset(preset).describe() + "\n"
    assert main(["rules", "coinche", "--set", "target=2000", "announce=choose", "--set", "capot_points=250"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if line.endswith("(changed)")] == [
        ["announce", "choose"],
        ["capot_points", "250"],
        ["target", "2000"],
    ]


def test_wrong_rules(fails):
    assert fails("rules", "coinch").startswith("unknown preset 'coinch': did you mean 'coinche'?")
    assert "unknown option 'targt': did you mean 'target'?" in fails("rules", "coinche", "--set", "targt=5")
    assert "option litige must be one of" in fails("rules", "belote", "--set", "litige=maybe")
    assert "not of the form option=value" in fails("rules", "belote", "--set", "litige")
    assert re.match("made=more does not go with auction=points", fails("rules", "coinche", "--set", "made=more"))
    assert fails("rules", "coinche", "--set", "target=5", "--set", "target=6") == "option target is given twice"
    assert "needs a preset" in fails("rules", "--set", "target=5")


def test_wrong_commands(fails):
    assert "COMMAND" in fails()
    assert "'dance'" in fails("dance")
    for command, *arguments in (["rules"], ["bench"], ["replay", "deal.json"], ["eval", "easy", "random"]):
        message = fails(command, *arguments, "--loud")
        assert message == f"unrecognized arguments: --loud (see 'belote {command} --help')"
    assert "FILE" in fails("replay")


def test_traces(capsys, deal):
    assert main(["replay", deal(TURNED), "--trace"]) == 0
    assert json.loads(capsys.readouterr().out) == trace(TURNED)
    records = [TURNED, FULL, RANDOM]
    assert main(["replay", deal(*records, name="deals.jsonl"), "--trace"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [trace(record) for record in records]


@pytest.mark.parametrize("record", [TURNED, FULL, RANDOM], ids=["turned", "full", "random"])
def test_an_account(capsys, deal, record):
    result = trace(record)["result"]
    assert main(["replay", deal(record)]) == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert ["this", "deal", *map(str, result["scores"])] in lines
    assert ["match", *map(str, result["totals"])] in lines
    tricks = [line for line in out.splitlines() if re.match(r"  [1-8]  ", line)]
    assert len(tricks) == 8
    assert sum(int(line[-1]) % 2 == 0 for line in tricks) == result["tricks"][0]
    calls = [action.split()[0] for action in record["actions"] if not action.startswith("play")]
    assert [line[2] for line in lines if line[0] == "seat" and line[2] in calls] == calls
    assert ("Contract:" in out) == (result["contract"] is not None)


def test_accounts_of_unfinished_and_thrown_in_deals(capsys, deal):
    for length in range(len(TURNED["actions"])):
        assert main(["replay", deal(TURNED | {"actions": TURNED["actions"][:length]})]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("In progress: seat ")
    assert main(["replay", deal(TURNED | {"actions": ["pass"] * 8})]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Thrown in"


@pytest.mark.parametrize("options", [[], ["--trace"]], ids=["account", "trace"])
def test_broken_records(fails, deal, tmp_path, options):
    path = deal(FULL | {"actions": ["pass", "pass", "play JH"]})
    seat = (FULL["dealer"] + 3) % 4
    assert fails("replay", path, *options).startswith(
        f"{path}: action 3: 'play JH' is illegal for seat {seat} in the auction: legal are pass, bid 80S"
    )
    path = deal(FULL, FULL | {"dealer": 9}, name="deals.jsonl")
    assert fails("replay", path, *options) == f"{path}:2: dealer is 9, expected a whole number from 0 to 3"
    (tmp_path / "cut.json").write_text(json.dumps(FULL)[:-5])
    message = fails("replay", str(tmp_path / "cut.json"), *options)
    assert message.startswith(f"{tmp_path / 'cut.json'}: not JSON, or truncated") and message.count("cut.json") == 1
    missing = str(tmp_path / "nowhere.json")
    assert fails("replay", missing, *options) == f"{missing}: No such file or directory"
    assert fails("replay", str(tmp_path), *options) == f"{tmp_path}: Is a directory"


def test_compressed_and_empty_files(capsys, fails, tmp_path):
    lines, empty = "".join(json.dumps(record) + "\n" for record in (TURNED, FULL)).encode(), tmp_path / "none.jsonl"
    path = tmp_path / "deals.jsonl.gz"
    path.write_bytes(gzip.compress(lines))
    assert main(["replay", str(path), "--trace"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [trace(TURNED), trace(FULL)]
    path.write_bytes(gzip.compress(lines)[:-20])
    assert main(["replay", str(path)]) == 2
    assert f"belote: {path}: not gzip, or truncated" in capsys.readouterr().err
    path.write_bytes(lines)
    assert fails("replay", str(path)).startswith(f"{path}: not gzip, or truncated")
    empty.write_text("\n")
    assert fails("replay", str(empty)) == f"{empty}: no record in it"


@pytest.mark.parametrize("command", ["replay", "solve", "analyse"])
def test_standard_input(capsys, fails, deal, monkeypatch, command):
    """It is one record, on one line or many, or one a line."""
    quick = ["--level", "rollouts:1"] if command == "analyse" else []
    lines = [json.dumps(record) for record in (TURNED, FULL)]
    for name, text in (("deal.json", json.dumps(TURNED, indent=1)), ("deals.jsonl", "\n\n".join(lines) + "\n")):
        path = Path(deal(name=name))
        path.write_text(text)
        assert main([command, str(path), *quick]) == 0
        expected = capsys.readouterr().out
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main([command, "-", *quick]) == 0
        assert capsys.readouterr().out == expected
    for text, place in (("", "standard input"), (lines[0] + "\n{", "standard input:2")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert fails(command, "-", *quick).startswith(f"{place}: not JSON, or truncated")


def test_ctrl_c_is_quiet(capsys, monkeypatch):
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("belote_cli.rules.run", interrupted)
    assert main(["rules"]) == 130
    assert capsys.readouterr() == ("", "")


def test_every_command_helps(capsys):
    for argv in ([], *([name] for name in belote_cli.COMMANDS)):
        with pytest.raises(SystemExit) as caught:
            main([*argv, "--help"])
        assert caught.value.code == 0
        assert capsys.readouterr().out.startswith("usage: belote")


def test_as_a_program(deal):
    """A reader that goes away ends it quietly, suit symbols may be missing, and the help loads nothing heavy."""
    path = deal(*[TURNED] * 200, name="deals.jsonl")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "belote_cli", "replay", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout.readline().startswith(b"belote")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
    code = "import sys, belote_cli\ntry: belote_cli.main(['-h'])\nfinally: print({'numba', 'numpy'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")
