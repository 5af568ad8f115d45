"""What cards lose against double dummy, deal by deal and summed; the command `belote losses`."""

from __future__ import annotations

import json

import pytest
from test_record import played

from agents.analysis import analyse, card_losses, style_for
from belote_cli import main
from belote_env import Rules
from belote_env.replay import walk
from belote_env.solver import Position, Solver
from training import losses as losses_module
from training.losses import Kind, measure_losses
from training.report import loss_grids

BELOTE = Rules.preset("belote")
LOWEST, HIGHEST = "test_arena:Lowest", "test_arena:Highest"


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "encheres", "decouverte"])
def test_losses_are_the_way_from_perfect_play_to_what_came(preset):
    record = played(preset, 4)
    values = [
        Solver().value(Position.from_state(game.state, game.rules)) for game, _ in walk(record) if game.phase == "play"
    ]
    signed = [(-1, 1)[loss.seat % 2] * loss.lost for loss in card_losses(record)]
    assert sum(signed) == values[-1] - values[0] and any(signed)
    assert all(loss.lost >= 0 for loss in card_losses(record))


def test_kinds_are_those_of_the_analysis():
    record = played("belote", 5)
    decisions = [one for one in analyse(record, style_for("crazy:0.05", BELOTE)) if one.phase == "play"]
    found = list(card_losses(record))
    assert [(one.seat, one.trick, one.role, one.exact_cost) for one in decisions] == [
        (one.seat, one.trick, one.role, one.lost) for one in found
    ]
    leaders = {(one.trick, game.seat) for one in found for game, _ in walk(record) if _leads(game, one.trick)}
    assert all(one.leading == ((one.trick, one.seat) in leaders) for one in found)
    assert {one.role for one in found} == {"takers", "defenders"}


def _leads(game, trick):
    return game.phase == "play" and len(game.view().tricks) == trick - 1 and not game.view().trick


def test_nobody_takes_where_trumps_are_drawn():
    assert {one.role for one in card_losses(played("decouverte"))} == {None}


def test_sums():
    """Two agents that never choose at random: each is at one table what the other is at the other."""
    same = measure_losses((LOWEST, LOWEST), BELOTE, 4, 1)
    assert same.cards[0] == same.cards[1] and same.lost[0] == same.lost[1] and same.difference == (0.0, 0.0)
    found = measure_losses((LOWEST, HIGHEST), BELOTE, 6, 1)
    assert found.deals == 6 == len(found.totals)
    for side in (0, 1):
        assert found.lost[side].total() == sum(total[side] for total in found.totals) > 0
        assert found.a_deal(side)[0] == found.lost[side].total() / 12
        assert all(kind.trick < 8 for kind in found.cards[side])  # of the last card there is no choice
    assert found.difference[0] == pytest.approx(found.a_deal(0)[0] - found.a_deal(1)[0])
    turned = measure_losses((HIGHEST, LOWEST), BELOTE, 6, 1)
    assert turned.totals == [total[::-1] for total in found.totals]
    assert measure_losses((LOWEST, HIGHEST), BELOTE, 1, 1).difference[1] is None


def test_one_worker_or_two():
    one, two = (measure_losses(("easy", LOWEST), BELOTE, 6, 3, workers=workers) for workers in (1, 2))
    assert (one.cards, one.lost, one.totals) == (two.cards, two.lost, two.totals)


def test_table():
    found = measure_losses(("easy", "random"), BELOTE, 4, 2)
    easy, other, together = loss_grids(found)
    assert easy.header == (
        "trick",
        "all",
        "takers leading",
        "takers following",
        "defenders leading",
        "defenders following",
    )
    assert easy.title == "easy: points lost by a card" and other.title == "random: points lost by a card"
    first = Kind(1, "defenders", True)
    column = easy.header.index("defenders leading")
    assert easy.rows[0][column] == f"{found.lost[0][first] / found.cards[0][first]:.2f}"
    assert easy.rows[-1][0] == "points a deal" and easy.rows[-1][1] == f"{found.a_deal(0)[0]:.2f}"
    assert sum(map(float, easy.rows[-1][2:])) == pytest.approx(found.a_deal(0)[0], abs=0.03)
    assert together.rows[0][3].startswith(f"{found.difference[0]:+.2f} ± ")


def test_command(capsys, tmp_path):
    path = tmp_path / "losses.json"
    argv = ["losses", "easy", LOWEST, "--deals", "3", "--seed", "2", "--workers", "1", "--json", str(path)]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "easy: points lost by a card" in out and "belote: 3 deals at two tables, seed 2" in out
    data = json.loads(path.read_text())
    found = measure_losses(("easy", LOWEST), BELOTE, 3, 2)
    assert data == json.loads(json.dumps(found.to_dict()))
    assert sum(one["lost"] for one in data["cards"] if one["agent"] == "easy") == found.lost[0].total()
    assert main(["losses", "easy", "easy", "--rules", "encheres", "--deals", "1", "--workers", "1"]) == 0
    assert "easy: tricks lost by a card" in capsys.readouterr().out


def test_interrupt(monkeypatch, capsys):
    weigh = losses_module.weigh_together

    def stop(pairing, deals):
        if 2 in deals:
            raise KeyboardInterrupt
        return weigh(pairing, deals)

    monkeypatch.setattr(losses_module, "weigh_together", stop)
    assert main(["losses", "easy", "random", "--deals", "5", "--workers", "1"]) == 130
    captured = capsys.readouterr()
    assert "belote: stopped after 2 of 5 deals of belote" in captured.err
    assert "belote: 2 deals at two tables" in captured.out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["easy", "eazy"], "unknown agent 'eazy'"),
        (["easy", "easy", "--deals", "0"], "--deals is 0"),
        (["easy", "easy", "--seed", "-1"], "--seed is -1"),
        (["test_arena:Cheat", "easy", "--workers", "1"], "returned 173"),
        (["easy", "easy", "--json", "nowhere/x.json"], "--json nowhere/x.json"),
    ],
)
def test_mistakes(argv, message, capsys):
    assert main(["losses", *argv]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
