"""The open benchmark: its deals are the frozen ones, and the score card says what was measured."""

from __future__ import annotations

import json

import pytest

from agents.identity import identity
from belote_cli import main
from belote_env import Rules
from training import benchmark
from training.arena import compare
from training.benchmark import ANCHORS, CHECKSUMS, SEEDS, checksum

pytest.importorskip("choix")


@pytest.mark.parametrize("game", sorted({game for game, _ in CHECKSUMS}))
def test_the_deals_are_frozen(game):
    assert checksum(Rules.preset(game), "dev") == CHECKSUMS[game, "dev"]


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted({game for game, _ in CHECKSUMS}))
def test_the_deals_to_report_on_are_frozen(game):
    assert checksum(Rules.preset(game), "report") == CHECKSUMS[game, "report"]


def test_what_is_developed_on_is_not_what_is_reported_on():
    for game, deals in CHECKSUMS:
        assert deals == "report" or CHECKSUMS[game, "dev"] != CHECKSUMS[game, "report"]


def test_score_card(capsys, tmp_path):
    path = tmp_path / "card.json"
    argv = ["benchmark", "bid:easy+play:random", "--rules", "belote", "--anchors", "random", "easy", "--deals", "6"]
    assert main([*argv, "--workers", "1", "--json", str(path)]) == 0
    out = capsys.readouterr().out
    assert "bid:easy+play:random: rating " in out and "(part of the panel: 2)" in out
    card = json.loads(path.read_text())
    assert (card["format"], card["deals"], card["checksum"]) == (
        "belote-benchmark/1",
        "dev",
        CHECKSUMS["belote", "dev"],
    )
    assert card["agent"] == identity("bid:easy+play:random", Rules.preset("belote"))
    against = compare(("bid:easy+play:random", "easy"), Rules.preset("belote"), 6, SEEDS["dev"])
    assert [result["agents"][1] for result in card["results"]] == ["random", "easy"]
    assert card["results"][1]["mean_difference"] == against.mean_difference
    assert {rating["agent"] for rating in card["ratings"]} == {"bid:easy+play:random", "random", "easy"}


def test_mistakes(capsys, monkeypatch):
    def fails(*argv):
        assert main(["benchmark", *argv]) == 2
        return capsys.readouterr().err

    assert "no benchmark of 'decouverte'" in fails("easy", "--rules", "decouverte")
    assert "'hrad' is not in the panel" in fails("easy", "--anchors", "hrad")
    assert "own only anchor" in fails("easy", "--anchors", "easy")
    assert "unknown agent 'eazy'" in fails("eazy")
    assert "--deals is 0" in fails("easy", "--deals", "0")
    monkeypatch.setitem(benchmark.CHECKSUMS, ("coinche", "dev"), "0")
    assert "not the frozen ones" in fails("easy", "--deals", "1", "--anchors", "random")


def test_the_panel():
    rules = Rules.preset("coinche")
    assert len({identity(anchor, rules) for anchor in ANCHORS}) == len(ANCHORS) == 7
