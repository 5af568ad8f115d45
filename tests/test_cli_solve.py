"""The command `belote solve` and the table of contracts behind it."""

from __future__ import annotations

import json

import pytest
from test_record import FULL, TURNED, played

from belote_cli import main
from belote_env import Game, Rules
from belote_env.replay import walk
from belote_env.solver import Position, Solver
from belote_env.solver.contracts import contract_table


@pytest.fixture
def deal(tmp_path):
    def write(*records: object, name: str = "deal.json") -> str:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def solved(deal, capsys):
    def run(record: dict, *options: str) -> dict:
        assert main(["solve", deal(record), "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def fails(capsys):
    def check(*argv: str) -> str:
        assert main(["solve", *argv]) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("belote: ") and captured.err.count("\n") == 1
        return captured.err

    return check


def bids(record: dict) -> int:
    """Return the number of actions before the play."""
    return next(number for number, (game, _) in enumerate(walk(record)) if game.phase == "play")


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "coinche_scaled", "contree", "encheres", "decouverte"])
def test_best_play_is_worth_what_the_table_says(solved, preset):
    record = played(preset, 5)
    at = bids(record)
    solution = solved(record)
    assert solution["at"] == at
    values = list(solution["values"].values())
    assert values == sorted(values, reverse=True)
    mine, theirs = solution["points"][:: 1 - 2 * (solution["seat"] % 2)]
    assert values[0] == mine - theirs
    game = Game.from_record({**record, "actions": record["actions"][:at]})
    for seat, card in solution["line"]:
        assert game.seat == seat
        game.step(f"play {card}")
    row = next(row for row in solution["contracts"] if row["denomination"] == solution["denomination"])
    assert game.result is not None
    assert row["declarations"] == game.result["declarations"]
    assert row["belote"] == game.result["belote"]
    if preset not in ("encheres", "decouverte"):
        assert row["cards"] == game.result["card_points"]
    assert [sum(pair) for pair in zip(row["cards"], row["belote"], strict=True)] == solution["points"]
    if preset == "belote":
        takers = game.result["contract"]["seat"] % 2
        outcome = {True: "made", False: "failed", None: "litige"}[game.result["made"]]
        assert (row["makes"][takers], row["makes"][1 - takers]) == (outcome, None)


@pytest.mark.parametrize("preset", ["coinche_plus", "contree", "coinche_announced", "encheres"])
def test_highest_bids(preset):
    """The engine agrees that the bid is made on the solver's line, and the next one is not."""
    record = {**played(preset, 2), "actions": []}
    game = Game.from_record(record)
    solver = Solver()
    step = 1 if preset == "encheres" else 10
    for row in contract_table(game, solver):
        for team, made in enumerate(row["makes"]):
            if made == "capot":
                continue
            lowest = 1 if preset == "encheres" else 80
            bids = [made] if made else []
            bids += [made + step] if made else [lowest]
            for bid in bids:
                play = Game.from_record(record)
                if f"bid {bid}{row['denomination']}" not in play.legal_actions():
                    continue
                while play.seat % 2 != team:
                    play.step("pass")
                play.step(f"bid {bid}{row['denomination']}")
                for _ in range(3):
                    play.step("pass")
                for card in solver.line(Position.from_state(play.state, play.rules)):
                    play.step(card)
                assert play.result is not None
                assert play.result["made"] == (bid == made)


def test_capot():
    hands = ["JH 9H AH TH KH QH 8H 7H", "AS TS KS QS JS 9S 8S 7S", "AD TD KD QD JD 9D 8D 7D", "AC TC KC QC JC 9C 8C 7C"]
    record = {**FULL, "hands": hands, "actions": []}
    rows = {row["denomination"]: row for row in contract_table(Game.from_record(record))}
    assert rows["H"]["makes"] == ["capot", None]
    assert rows["H"]["cards"] == [252, 0]
    assert rows["H"]["belote"] == [20, 0]


def test_announcements_that_are_chosen():
    record = played("coinche", 4)
    choose = {**record, "rules": {"preset": "coinche", "options": {"announce": "choose"}}, "actions": []}
    assert contract_table(Game.from_record(choose)) == contract_table(Game.from_record({**record, "actions": []}))


def test_an_auction_in_progress(solved, deal, fails):
    solution = solved({**FULL, "actions": []})
    assert set(solution) == {"at", "contracts"}
    assert len(solution["contracts"]) == len(Rules.of(FULL["rules"]["preset"]).denominations)
    assert "not complete" in fails(deal({**TURNED, "actions": []}))


def test_in_the_middle_of_a_trick(solved):
    at = bids(FULL) + 22
    solution = solved(FULL, "--at", str(at))
    assert "contracts" not in solution
    assert len(solution["line"]) == 10
    assert solution["line"][0][0] == solution["seat"]
    assert solution["line"][0][1] in solution["values"]


def test_text(deal, capsys):
    assert main(["solve", deal(FULL)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(("♠", "♥", "♦", "♣"))
    assert "Best play" in out and "as takers" in out
    assert main(["solve", deal(FULL, TURNED, name="two.jsonl")]) == 0
    assert capsys.readouterr().out.count("Best play") == 2


def test_mistakes(deal, fails, tmp_path):
    assert "the phase is 'auction'" in fails(deal(FULL), "--at", "0")
    assert "expected a number of actions from 0 to" in fails(deal(FULL), "--at", "99")
    assert "expected a number of actions from 0 to" in fails(deal(FULL), "--at", "-1")
    assert "nothing.json" in fails(str(tmp_path / "nothing.json"))
    assert "deal.json: format" in fails(deal({**FULL, "format": "x"}))
    assert "action 1" in fails(deal({**FULL, "actions": ["play JH"]}))
