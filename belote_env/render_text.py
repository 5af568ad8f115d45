"""The table as text: the four seats around the trick, then the auction, the last trick and the scores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from belote_env.cards import pretty

if TYPE_CHECKING:
    from belote_env.render import Scene, Seat

_WIDTH = 78
_COLUMN = 24
_RED = re.compile(r"(10|[789JQKA])?[♥♦]")
_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣", "NT": "no trumps", "AT": "all trumps"}


def ansi(scene: Scene, color: bool = False) -> str:
    """Return the table as lines of text.

    Args:
        scene: what to show.
        color: whether hearts and diamonds are red, with terminal escape codes; plain text without.
    """
    lines = [*_header(scene), "─" * _WIDTH, *_table(scene), "─" * _WIDTH, *_footer(scene)]
    text = "\n".join(line.rstrip() for line in lines)
    return _RED.sub(lambda match: f"\x1b[31m{match.group()}\x1b[0m", text) if color else text


def contract_text(scene: Scene) -> str:
    """Return the contract, or what stands for it so far, in words."""
    if scene.denomination is None:
        return f"turned {pretty(scene.turned)}" if scene.turned else "no bid yet"
    symbol = _SYMBOLS[scene.denomination]
    if scene.taker is None:
        return f"trump {symbol}"
    doubled = {1: "", 2: ", coinched ×2", 4: ", surcoinched ×4"}[scene.doubled]
    name = scene.seats[scene.taker].name
    return f"{scene.bid} {symbol} by {name}{doubled}" if scene.bid else f"{symbol} taken by {name}"


def _between(left: str, right: str) -> str:
    return left + right.rjust(_WIDTH - len(left)) if len(left) + len(right) < _WIDTH else f"{left}  {right}"


def _header(scene: Scene) -> list[str]:
    us, them = scene.sides
    deal = f"{scene.game} · deal {scene.deal} · {contract_text(scene)}"
    pot = f" · pot {scene.pot}" if scene.pot else ""
    match = f"{us.name} {us.score}, {them.name} {them.score} of {scene.target}{pot}"
    return [_between(deal, match)]


def _title(scene: Scene, seat: int) -> str:
    one = scene.seats[seat]
    return f"{'► ' if scene.to_act == seat else ''}{one.name}{' (dealer)' if scene.dealer == seat else ''}"


def _cards(seat: Seat) -> str:
    """Return a hand on one line, cards that may be played in brackets when not all may."""
    some = 0 < len(seat.legal) < len(seat.hand)
    if seat.hand:
        return " ".join(f"[{pretty(card)}]" if some and card in seat.legal else pretty(card) for card in seat.hand)
    return f"{seat.hidden} card{'s' * (seat.hidden != 1)}" if seat.hidden else ""


def _says(scene: Scene, seat: Seat) -> str:
    return f"“{seat.call}”" if scene.phase == "auction" and seat.call else ", ".join(seat.said)


def _block(scene: Scene, seat: int) -> list[str]:
    """Return the lines of a seat at the side, an open hand a suit a line."""
    one = scene.seats[seat]
    suits: dict[str, list[str]] = {}
    for card in one.hand:
        suits.setdefault(card[1], []).append(card)
    some = 0 < len(one.legal) < len(one.hand)
    rows = [
        " ".join(f"[{pretty(card)}]" if some and card in one.legal else pretty(card) for card in cards)
        for cards in suits.values()
    ]
    return [_title(scene, seat), *(rows or [_cards(one)]), _says(scene, one)]


def _table(scene: Scene) -> list[str]:
    at = {seat.place: number for number, seat in enumerate(scene.seats)}
    on_table = {scene.seats[by].place: pretty(card) + "*" * (by == scene.winning) for by, card in scene.trick}

    def here(place: str) -> str:
        return on_table.get(place, "·" if scene.phase in ("play", "announce", "belote") else "")

    middle = scene.turned if scene.phase == "auction" else None
    top, bottom = scene.seats[at["top"]], scene.seats[at["bottom"]]
    centre = _WIDTH - 2 * _COLUMN
    sides = (here("left").ljust(6) + (f"[ {pretty(middle)} ]" if middle else "").center(8) + here("right").rjust(6),)
    inner = ["", here("top"), "", *sides, "", here("bottom"), ""]
    left, right = _block(scene, at["left"]), _block(scene, at["right"])
    lines = [text.center(_WIDTH) for text in (_title(scene, at["top"]), _cards(top), _says(scene, top)) if text]
    for i in range(max(len(inner), len(left) + 1, len(right) + 1)):
        row = [block[i - 1] if 0 < i <= len(block) else "" for block in (left, right)]
        middle_text = inner[i] if i < len(inner) else ""
        lines.append(row[0].ljust(_COLUMN) + middle_text.center(centre) + row[1].rjust(_COLUMN))
    below = (_says(scene, bottom), _cards(bottom), _title(scene, at["bottom"]))
    lines += [text.center(_WIDTH) for text in below if text]
    return lines


def _auction(scene: Scene) -> list[str]:
    """Return the calls as a table, a column a seat, the first to speak at the left."""
    order = [(scene.dealer + 1 + i) % 4 for i in range(4)]
    lines = ["auction    " + "".join(scene.seats[seat].name.ljust(14) for seat in order)]
    row: list[str] = []
    for seat, text in scene.calls:
        column = order.index(seat)
        if column < len(row):
            lines.append(" " * 11 + "".join(cell.ljust(14) for cell in row))
            row = []
        row += [""] * (column - len(row)) + [text]
    return [*lines, " " * 11 + "".join(cell.ljust(14) for cell in row)]


def _footer(scene: Scene) -> list[str]:
    lines = _auction(scene) if scene.calls else []
    if scene.last_trick and scene.last_winner is not None:
        cards = "  ".join(f"{scene.seats[by].name} {pretty(card)}" for by, card in scene.last_trick)
        lines.append(f"last trick {cards}   won by {scene.seats[scene.last_winner].name}")
    for seat in scene.seats:
        if seat.shown:
            lines.append(f"{seat.name} shows {' '.join(map(pretty, seat.shown))}")
    if scene.result is not None:
        lines += _result(scene)
    elif scene.phase != "auction":
        for side in scene.sides:
            points = f", {side.points} card points" if scene.card_points else ""
            more = f", declarations {side.declared}" if side.declared else ""
            more += f", belote {side.belote}" if side.belote else ""
            lines.append(f"{side.name:<10} {side.tricks} trick{'s' * (side.tricks != 1)}{points}{more}")
    if scene.to_act is not None:
        name = scene.seats[scene.to_act].name
        asked = {"auction": "speak", "announce": "announce or stay silent", "belote": "say belote or stay silent"}
        lines.append(f"{name} to {asked.get(scene.phase, 'play')}")
    return lines


def result_rows(scene: Scene) -> list[tuple[str, int, int]]:
    """Return the score sheet as rows: what, first side, second side."""
    result = scene.result
    if result is None:
        return []
    rows = [("Tricks", "tricks")]
    if scene.card_points:
        rows.append(("Card points", "card_points"))
    if scene.declarations:
        rows.append(("Declarations", "declarations"))
    if scene.card_points or any(result["belote"]):
        rows.append(("Belote", "belote"))
    rows += [("This deal", "scores"), ("Match", "totals")]
    first, second = (side.team for side in scene.sides)
    return [(label, result[key][first], result[key][second]) for label, key in rows]


def _result(scene: Scene) -> list[str]:
    lines = ["", f"{scene.headline:<16}" + "".join(side.name.rjust(10) for side in scene.sides)]
    lines += [f"{label:<16}{first:>10}{second:>10}" for label, first, second in result_rows(scene)]
    return lines + ([scene.verdict] if scene.verdict else [])
