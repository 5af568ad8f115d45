"""``belote solve``: what perfect play makes of a deal with all hands open (the double-dummy solver)."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from belote_cli.common import RECORDS, UsageError, records_from

if TYPE_CHECKING:
    from belote_env.game import Game
    from belote_env.solver import Solver


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add this sub-command and return its parser."""
    parser = subparsers.add_parser("solve", help="solve a deal with all hands open", description=__doc__)
    parser.add_argument("record", metavar="RECORD", help=RECORDS)
    parser.add_argument(
        "--at", type=int, metavar="N", help="the position after N actions (default: the start of the play)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, one object a record")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the solution of every record of the file, in order."""
    from belote_env.errors import RecordError
    from belote_env.solver import Solver

    solver = Solver()
    place = ""
    try:
        for number, (place, record) in enumerate(records_from(args.record)):
            solution = solve(record, args.at, solver)
            print(json.dumps(solution) if args.json else "\n" * (number > 0) + account(solution))
            place = ""
    except (RecordError, UsageError) as error:
        raise UsageError(f"{place}: {error}" if place else str(error)) from None
    return 0


def solve(record: Any, at: int | None, solver: Solver) -> dict[str, Any]:
    """Return the exact values of a deal as JSON-ready values.

    Args:
        record: a ``belote-deal/1`` object.
        at: number of actions before the position; None for the start of the play, if there is one.
        solver: to use.

    Returns:
        ``at``; if a card is to be played, ``seat``, ``denomination``, ``points`` (each team's at the end of the deal,
        capot and belotes included), ``values`` (for each legal card, the best first, the points of the seat's side less
        those of the other) and ``line`` (best play, ``[seat, card]`` each); unless cards have been played,
        ``contracts``, the rows of :func:`belote_env.solver.contracts.contract_table`.

    Raises:
        RecordError: if the record is malformed or breaks a rule.
        UsageError: if there is nothing to solve after ``at`` actions.
    """
    from belote_env.cards import CARDS, DENOMINATIONS
    from belote_env.engine.layout import PLAYED
    from belote_env.solver import Position
    from belote_env.solver.contracts import contract_table

    game, at = _game_at(record, at)
    solution: dict[str, Any] = {"at": at}
    if game.phase == "play":
        position = Position.from_state(game.state, game.rules)
        sign = (1, -1)[game.seat % 2]
        values = {card: sign * value for card, value in solver.card_values(position).items()}
        solution |= {
            "seat": game.seat,
            "denomination": DENOMINATIONS[position.denomination],
            "points": list(solver.points(position)),
            "values": {CARDS[card]: values[card] for card in sorted(values, key=lambda card: -values[card])},
            "line": [],
        }
        current: Position | None = position
        for card in solver.line(position):
            assert current is not None
            solution["line"].append([current.seat, CARDS[card]])
            current = current.play(card)
    if not game.state[PLAYED]:
        try:
            solution["contracts"] = contract_table(game, solver)
        except ValueError as error:
            raise UsageError(str(error)) from None
    return solution


def _game_at(record: Any, at: int | None) -> tuple[Game, int]:
    """Return the game after ``at`` actions, or at the start of the play, or else at the record's end."""
    from belote_env.replay import walk

    for number, (game, action) in enumerate(walk(record)):
        if at is None and (game.phase == "play" or action is None):
            return game, number
        if number == at:
            if game.phase != "play":
                raise UsageError(f"no card is to be played after {at} actions: the phase is {game.phase!r}")
            return game, number
    raise UsageError(f"--at is {at}, expected a number of actions from 0 to {number}")


def account(solution: dict[str, Any]) -> str:
    """Return a readable account of what :func:`solve` returned."""
    from belote_env.cards import pretty

    lines = []
    if "values" in solution:
        mine, theirs = solution["points"][:: 1 - 2 * (solution["seat"] % 2)]
        lines.append(f"{pretty(solution['denomination'])}, seat {solution['seat']} to play: {mine} to {theirs}")
        lines.append("Cards, and what the seat's side wins by after each")
        lines += [f"  {pretty(card):<3} {value:>+5}" for card, value in solution["values"].items()]
        lines.append("Best play")
        lines += _tricks(solution["line"])
    if "contracts" in solution:
        lines += _contracts(solution["contracts"])
    return "\n".join(lines)


def _tricks(line: list[list[Any]]) -> list[str]:
    """Return a line of play as text, one trick a line; the first may have begun before it."""
    from belote_env.cards import pretty

    lines = []
    while line:
        size = len(line) % 4 or 4
        lines.append("  " + "  ".join(f"{seat} {pretty(card):<3}" for seat, card in line[:size]).rstrip())
        line = line[size:]
    return lines


def _contracts(rows: list[dict[str, Any]]) -> list[str]:
    from belote_env.cards import pretty

    lines = [
        "Each side as takers, under every denomination",
        f"  {'':<4}{'cards':>9}{'declared':>10}{'belote':>9}{'makes':>16}",
        f"  {'':<4}" + 3 * "  0+2 1+3" + "      0+2     1+3",
    ]
    for row in rows:
        pairs = "".join(f"{row[field][0]:>5}{row[field][1]:>4}" for field in ("cards", "declarations", "belote"))
        makes = "".join(f"{'-' if one is None else one:>8}" for one in row["makes"])
        lines.append(f"  {pretty(row['denomination']):<4}{pairs} {makes}")
    return lines
