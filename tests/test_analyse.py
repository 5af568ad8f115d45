"""The analysis of a deal's decisions and the command `belote analyse`."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from referee import PRESETS
from test_record import FULL, RANDOM, TURNED, played

from agents.analysis import Total, analyse, style_for
from agents.levels import CRAZY, HARD, MonteCarloAgent
from agents.registry import make
from belote_cli import main
from belote_env import Game, Rules
from belote_env.replay import walk

QUICK = CRAZY.times(0.05)
# Seat 0 holds all trumps but one, and the 7 of spades can win nothing. The declarations show what all others hold, so a
# level that solves the end knows as much as double dummy.
HANDS = ["JH 9H AH TH KH QH 8H 7S", "AS KS QS 7C 8C 9C 7D 8D", "7H 9D TD JD QD KD AD TC", "TS JS 9S 8S JC QC KC AC"]


def last_tricks(*cards: str) -> dict:
    """Seat 0 draws trumps for six tricks, and the others keep spades; then come these cards."""
    actions = ["bid 80H", "pass", "pass", "pass"]
    tricks = ["JH 7C 7H JC", "9H 8C 9D QC", "AH 9C TD KC", "TH 7D JD AC", "KH 8D QD 8S", "QH QS KD 9S"]
    actions += [f"play {card}" for trick in tricks for card in trick.split()] + [f"play {card}" for card in cards]
    return {
        "format": "belote-deal/1",
        "rules": {"preset": "coinche", "options": {}},
        "dealer": 3,
        "hands": HANDS,
        "actions": actions,
    }


THROWN_AWAY = last_tricks("8H", "KS", "AD", "JS", "7S", "AS", "TC", "TS")
KEPT = last_tricks("7S", "AS", "AD", "JS", "KS", "TC", "TS", "8H")


@pytest.fixture
def write(tmp_path):
    def to_file(*records: object, name: str = "deal.json") -> str:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        return str(path)

    return to_file


@pytest.fixture
def analysed(write, capsys):
    def run(record: object, *options: str) -> dict:
        assert main(["analyse", write(record), "--json", "--level", "crazy:0.05", *options]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def fails(capsys):
    def check(*argv: str) -> str:
        assert main(["analyse", *argv]) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("belote: ") and captured.err.count("\n") == 1
        return captured.err

    return check


@pytest.mark.parametrize("level", ["crazy:0.2", "pimc:1"])
def test_the_card_that_gives_the_last_trick_away(level):
    decisions = {d.number: d for d in analyse(THROWN_AWAY, style_for(level, Rules.preset("coinche")), seats=[0])}
    thrown = decisions[29]
    assert (thrown.seat, thrown.phase, thrown.trick, thrown.role) == (0, "play", 7, "takers")
    assert (thrown.action, thrown.choice, thrown.mistake) == ("play 8H", "play 7S", True)
    assert thrown.exact_cost == 20 == thrown.exact_values["play 7S"] - thrown.exact_values["play 8H"]
    assert thrown.cost == pytest.approx(20, abs=0.1)
    assert max(decisions) == 29, "the last trick leaves no choice"


def test_the_card_that_keeps_it():
    (kept,) = (d for d in analyse(KEPT, CRAZY.times(0.2), seats=[0]) if d.number == 29)
    assert (kept.choice, kept.cost, kept.margin, kept.exact_cost, kept.mistake) == (kept.action, 0, 0, 0, False)


def test_in_words(write, capsys):
    assert main(["analyse", write(THROWN_AWAY), "--seat", "0", "--level", "crazy:0.2"]) == 0
    out = capsys.readouterr().out
    (line,) = (line for line in out.splitlines() if "trick 7: " in line)
    assert line.startswith("  Seat 0 (takers), trick 7: played 8♥; 7♠ was worth ")
    assert line.endswith(" points more by crazy:0.2's reckoning; double dummy agrees (+20)")
    assert "not finished" not in out and "seat 1" not in out


@pytest.mark.parametrize("preset", PRESETS)
def test_every_choice_of_every_preset(preset):
    record = played(preset, 3)
    choices = {n: game.seat for n, (game, action) in enumerate(walk(record), 1) if action and len(game.legal_ids()) > 1}
    decisions = list(analyse(record, QUICK))
    assert {d.number: d.seat for d in decisions} == choices
    for d in decisions:
        assert d.action == record["actions"][d.number - 1]
        assert list(d.values.values()) == sorted(d.values.values(), reverse=True)
        assert {d.action, d.choice} <= set(d.values)
        assert np.isfinite([*d.values.values(), d.cost, d.margin]).all() and d.margin >= 0
        assert (d.trick is None) == (d.phase == "auction")
        assert (d.exact_values is not None) == (d.phase == "play")
        assert d.exact_cost is None or d.exact_cost >= 0
    total = Total.of(decisions)
    assert total.decisions == len(choices)
    assert total.exact_cost == sum(d.exact_cost or 0 for d in decisions)
    assert total.cost == pytest.approx(sum(d.cost for d in decisions))


def test_what_is_said():
    """Announcements that are chosen are weighed too, by imagined deals alone."""
    for seed in range(40):
        game = Game(Rules.preset("coinche", announce="choose"), seed)
        agents = [make("easy", game.rules, seat) for seat in range(4)]
        while not game.deal_over:
            action = agents[game.seat].act(game.view())
            game.step("silent" if game.phase in ("announce", "belote") else action)
        record = game.to_record()
        said = [d for d in analyse(record, QUICK) if d.phase in ("announce", "belote")]
        if {d.phase for d in said} == {"announce", "belote"}:
            break
    assert all(d.exact_values is None and d.trick for d in said)
    assert any(d.choice == "belote" and d.cost >= 10 for d in said)


def test_values_are_those_of_the_agent():
    decision = list(analyse(RANDOM, CRAZY, seed=7))[5]
    game = Game.from_record({**RANDOM, "actions": RANDOM["actions"][: decision.number - 1]})
    style = replace(CRAZY, budget=CRAZY.budget._replace(prune=False))
    agent = MonteCarloAgent(game.rules, style, np.random.SeedSequence((7, decision.number)))
    view = game.view()
    assert decision.values == dict(zip(view.legal_actions, agent.values(view, view.legal), strict=True))


def test_the_margin_covers_what_many_more_deals_say():
    far = [
        abs(few.cost - many.cost) > few.margin + many.margin
        for few, many in zip(analyse(FULL, HARD, 1, [0, 2]), analyse(FULL, HARD.times(4), 1, [0, 2]), strict=True)
        if few.choice == many.choice
    ]
    assert len(far) >= 8 and sum(far) <= 2


@pytest.mark.parametrize("level", ["normal", "hard", "crazy:0.1", "rollouts:20"])
def test_levels(level):
    record = {**TURNED, "actions": TURNED["actions"][:-12]}
    style = style_for(level, Rules.preset("belote"))
    assert list(analyse(record, style, 3)) == list(analyse(record, style, 3)) != list(analyse(record, style, 4))


def test_a_level_loses_nothing_by_its_own_reckoning():
    rules = Rules.preset("belote_sans_annonces")
    decisions = []
    for seed in range(3):
        game = Game(rules, seed=seed)
        agents = [MonteCarloAgent(rules, HARD, seat) for seat in range(4)]
        while not game.deal_over:
            game.step(agents[game.seat].act(game.view()))
        decisions += analyse(game.to_record(), HARD, seed)
    total = Total.of(decisions)
    assert total.decisions > 50
    assert total.cost < 2 * total.decisions
    assert total.mistakes < total.decisions / 8


def test_it_repeats_itself_whoever_is_looked_at(analysed):
    whole = analysed(FULL, "--seed", "5")
    assert whole == analysed(FULL, "--seed", "5") != analysed(FULL, "--seed", "6")
    assert whole["finished"]
    assert [total["seats"] for total in whole["totals"]] == [[0], [1], [2], [3], [0, 2], [1, 3]]
    one = analysed(FULL, "--seed", "5", "--seat", "2")
    assert one["decisions"] == [d for d in whole["decisions"] if d["seat"] == 2] != []
    assert one["totals"] == [whole["totals"][2]]
    sides = whole["totals"][4:]
    assert sum(total[phase]["decisions"] for total in sides for phase in ("auction", "play")) == len(whole["decisions"])


def test_unfinished_deals(write, analysed, capsys):
    whole = analysed(FULL)
    part = analysed({**FULL, "actions": FULL["actions"][:-6]})
    assert not part["finished"]
    assert part["decisions"] == [d for d in whole["decisions"] if d["number"] <= len(FULL["actions"]) - 6]
    assert main(["analyse", write({**TURNED, "actions": []})]) == 0
    out = capsys.readouterr().out
    assert "The deal is not finished: seat" in out and "Nobody had a choice" in out


def test_levels_that_play_cards_by_rule_say_so(write, capsys):
    assert main(["analyse", write(KEPT), "--level", "normal", "--seat", "0"]) == 0
    assert "normal plays cards by rule: here it weighs them over" in capsys.readouterr().out


def test_many_records_and_standard_input(write, capsys, monkeypatch):
    quick = ("--level", "rollouts:2", "--seat", "0")
    assert main(["analyse", write(KEPT, played("encheres", 2), name="two.jsonl"), *quick]) == 0
    out = capsys.readouterr().out
    assert "cost, points" in out and "cost, deals" in out
    assert main(["analyse", write(KEPT), *quick]) == 0
    alone = capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(KEPT).encode())))
    assert main(["analyse", "-", *quick]) == 0
    assert capsys.readouterr().out == alone
    assert out.startswith(alone)


def test_mistakes_of_the_user(write, fails, tmp_path, monkeypatch):
    assert "nothing.json" in fails(str(tmp_path / "nothing.json"))
    assert "deal.json: format" in fails(write({**FULL, "format": "x"}))
    assert "deal.json: action 1" in fails(write({**FULL, "actions": ["play JH"]}))
    (tmp_path / "cut.json").write_text(json.dumps(FULL)[:-9])
    assert "not JSON, or truncated" in fails(str(tmp_path / "cut.json"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert "standard input: not JSON" in fails("-")
    assert "crazzy" in fails(write(FULL), "--level", "crazzy")
    assert "does not value actions" in fails(write(FULL), "--level", "easy")
    assert "cannot be repeated" in fails(write(FULL), "--level", "crazy:2s")
    assert "invalid choice" in fails(write(FULL), "--seat", "4")
    assert "--seed is -1" in fails(write(FULL), "--seed", "-1")
