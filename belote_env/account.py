"""A deal record in words: the cards, who bid what, the tricks, the score."""

from __future__ import annotations

from typing import Any

from belote_env.cards import pretty
from belote_env.engine.layout import LEADERS, TRICKS
from belote_env.game import Game
from belote_env.replay import walk


def account(record: Any) -> str:
    """Return a readable account of a deal: the cards, who bid what, the tricks, the score.

    Raises:
        RecordError: if the record is malformed or breaks a rule.
    """
    calls, said = [], []
    for game, action in walk(record):
        if action is None:
            break
        verb, _, what = action.partition(" ")
        if game.phase == "auction":
            calls.append(f"  seat {game.seat}  {verb} {_pretty_bid(what)}".rstrip())
        elif verb != "play":
            said.append(f"seat {game.seat} {verb}")

    lines = [f"{game.rules}, dealer seat {game.dealer}", "Cards"]
    lines += [f"  seat {seat}  {' '.join(map(pretty, hand.split()))}" for seat, hand in enumerate(record["hands"])]
    if "turned" in record:
        lines.append(f"  turned  {pretty(record['turned'])}")
    if "trump" in record:
        lines.append(f"  trump   {pretty(record['trump'])}")
    lines += (["Auction", *calls] if calls else []) + _tricks(game)
    if said:
        lines.append(f"Said: {', '.join(said)}")
    if game.deal_over:
        return "\n".join(lines + _score(game))
    return "\n".join([*lines, f"In progress: seat {game.seat} to act ({game.phase})"])


def _pretty_bid(what: str) -> str:
    """Return ``80H`` or ``H`` with a symbol for the suit."""
    return what if what == "" or what.endswith(("NT", "AT")) else f"{what[:-1]} {pretty(what[-1])}".strip()


def _tricks(game: Game) -> list[str]:
    state = game.state
    complete = state[TRICKS] + state[TRICKS + 1]
    lines = ["Tricks"]
    for number, trick in enumerate(game.view().tricks):
        winner = f"  to seat {state[LEADERS + number + 1]}" if number < complete else ""
        lines.append(f"  {number + 1}  " + "  ".join(f"{seat} {pretty(card):<3}" for seat, card in trick) + winner)
    return lines if len(lines) > 1 else []


def _score(game: Game) -> list[str]:
    """Return the score sheet as lines."""
    result = game.result
    assert result is not None
    contract = result["contract"]
    if not contract and not any(result["tricks"]):
        return ["Thrown in"]
    lines = []
    if contract:
        doubled = {1: "", 2: ", coinche", 4: ", surcoinche"}[contract["doubled"]]
        outcome = {True: "made", False: "failed", None: "litige"}[result["made"]]
        value = "" if contract["value"] is None else f"{contract['value']} "
        lines.append(
            f"Contract: {value}{pretty(contract['denomination'])} by seat {contract['seat']}{doubled}: {outcome}"
        )
    lines.append(f"{'Score':<14}{'seats 0+2':>10}{'seats 1+3':>10}")
    for field in ("tricks", "card_points", "declarations", "belote", "scores", "totals"):
        name = {"card_points": "card points", "scores": "this deal", "totals": "match"}.get(field, field)
        lines.append(f"  {name:<12}{result[field][0]:>10}{result[field][1]:>10}")
    if result["pot"]:
        lines.append(f"  {'pot':<12}{result['pot']:>10}")
    if result["winner"] is not None:
        lines.append(
            {0: "Seats 0 and 2 win the match", 1: "Seats 1 and 3 win the match"}.get(result["winner"], "A draw")
        )
    return lines
