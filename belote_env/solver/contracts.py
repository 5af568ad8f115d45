"""What each side makes of a deal in each denomination, with all hands open and perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from belote_env.engine.layout import DEALT, TAKER
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.solver import Position, Solver

_HAND = 8


def contract_table(game: Game, solver: Solver | None = None) -> list[dict[str, Any]]:
    """Return what both sides reach in each denomination of the rules, with the lead where it is.

    Who took does not change the play, so one line of best play serves both sides. The engine plays it under each bid,
    everything announced that can be, and judges it: a side that takes more never makes less.

    Args:
        game: at any moment of a deal whose hands are known: with a turned card, after the auction.
        solver: to use; None for a new one.

    Returns:
        A row for each denomination, in which pairs are team 0 then team 1: ``denomination``; ``cards``, points of cards
        and last trick or capot, or tricks, the last one twice, where those count; ``declarations``; ``belote``;
        ``makes``: the highest bid that each side makes (80..180, ``"capot"``, or a number of tricks) or None. Générale
        is not looked at. Where no height is bid, ``makes`` is ``"made"``, ``"failed"`` or ``"litige"``; with a turned
        card it is None for the side that did not take, whose hands would have been others.

    Raises:
        ValueError: if the hands are not known.
    """
    hands = tuple(int(hand) for hand in game.state[DEALT : DEALT + 4])
    if any(hand.bit_count() < _HAND for hand in hands):
        raise ValueError("the hands are not complete before the auction is over")
    solver = solver or Solver()
    rows = []
    for denomination in game.rules.denominations:
        position = Position(hands, (game.dealer + 1) % 4, denomination, game.rules)
        points = solver.points(position)
        line = solver.line(position)
        sheets = [[_played(after, line) for after in _contracts(game, denomination, team)] for team in (0, 1)]
        makes = [_makes(game.rules, sheets[team], team) for team in (0, 1)]
        if game.rules.capot_bid:
            makes = ["capot" if solver.can_take_all(position, team) else makes[team] for team in (0, 1)]
        rows.append(
            {
                "denomination": denomination,
                "cards": [points[team] - position.belote[team] for team in (0, 1)],
                "declarations": (sheets[0] or sheets[1])[0]["declarations"],
                "belote": list(position.belote),
                "makes": makes,
            }
        )
    return rows


def _contracts(game: Game, denomination: str, team: int) -> Iterator[Game]:
    """Yield the deal at the start of the play under each bid that a team can hold but capot, the highest first."""
    record = {**game.to_record(), "actions": []}
    if game.rules.auction == "none":
        yield Game.from_record({**record, "trump": denomination})
        return
    seat = int(game.state[TAKER])
    if game.rules.auction != "turned":
        seat = next(seat for seat in (game.dealer + 1, game.dealer + 2) if seat % 2 == team) % 4
    elif seat % 2 != team:
        return
    start = Game.from_record(record)
    while not (bids := _bids(start, seat, denomination)):
        start.step("pass")
    for bid in reversed(bids):
        after = start.clone()
        after.step(bid)
        while after.phase == "auction":
            after.step("pass")
        yield after


def _bids(game: Game, seat: int, denomination: str) -> list[str]:
    if game.seat != seat:
        return []
    calls = [call for call in game.legal_actions() if call != "pass" and call.endswith(denomination)]
    return [call for call in calls if not call.startswith(("bid capot", "bid generale"))]


def _played(game: Game, line: list[int]) -> dict[str, Any]:
    """Return the score sheet after a line of play, whatever can be announced announced."""
    for card in line:
        if game.phase == "announce":
            game.step("announce")
        game.step(card)
        if game.phase == "belote":
            game.step("belote")
    assert game.result is not None
    return game.result


def _makes(rules: Rules, sheets: list[dict[str, Any]], team: int) -> int | str | None:
    if rules.auction in ("points", "tricks"):
        return next((sheet["contract"]["value"] for sheet in sheets if sheet["made"]), None)
    if not sheets:
        return None
    if rules.auction == "none":
        return "made" if sheets[0]["scores"][team] else "failed"
    return {True: "made", False: "failed", None: "litige"}[sheets[0]["made"]]
