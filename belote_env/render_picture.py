"""The table as a picture of 960 by 640 pixels, drawn with Pillow; import this module only where that is installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from belote_env.cards import pretty
from belote_env.render_cards import (
    BLACK,
    PAPER,
    RED,
    Color,
    bubble,
    card_back,
    card_face,
    card_height,
    font,
    panel,
    suit_image,
    table_cloth,
)
from belote_env.render_text import result_rows

if TYPE_CHECKING:
    from belote_env.render import Scene, Seat

WIDTH, HEIGHT = 960, 640
_CENTRE = (WIDTH // 2, 298)
_DARK = (8, 30, 24, 190)
_LIGHT: Color = (240, 244, 238)
_SOFT: Color = (170, 198, 182)
_GOLD: Color = (250, 208, 92)
_OURS: Color = (110, 186, 255)
_THEIRS: Color = (255, 156, 92)
_PANEL = 214
_EDGE = 14
_SUITS = dict(zip("♠♥♦♣", "SHDC", strict=True))
_PARTS = re.compile("([♠♥♦♣])")
_HAND = {"bottom": 84, "top": 62, "left": 62, "right": 62}


def _ascii(text: str) -> str:
    return text.replace("é", "e").replace("×", "x")


class _Pen:
    """Draws on one picture; positions are in pixels."""

    def __init__(self, image: Image.Image) -> None:
        self.image = image
        self.draw = ImageDraw.Draw(image)

    def paste(self, piece: Image.Image, x: float, y: float) -> None:
        self.image.paste(piece, (round(x), round(y)), piece)

    def width(self, text: str, size: int) -> float:
        """Return the width of a text; it may hold suit symbols."""
        return sum(size if part in _SUITS else font(size).getlength(_ascii(part)) for part in _PARTS.split(text))

    def text(self, x: float, y: float, text: str, size: int, color: Color, align: str = "l") -> None:
        """Write a text with its left end, middle or right end at ``x`` and its middle line at ``y``."""
        x -= {"l": 0.0, "m": 0.5, "r": 1.0}[align] * self.width(text, size)
        base = y + 0.36 * size
        for part in _PARTS.split(text):
            if part in _SUITS:
                red = part in "♥♦"
                tone = color if not red else RED if sum(color) < 384 else (255, 112, 112)
                self.paste(suit_image(_SUITS[part], size - 1, tone), x, y - size / 2 + 1)
                x += size
                continue
            self.draw.text((x, base), _ascii(part), font=font(size), fill=color, anchor="ls")
            # The font has no accents: draw the one of é.
            for i in (match.start() for match in re.finditer("é", part)):
                middle = x + font(size).getlength(_ascii(part[:i])) + font(size).getlength("e") / 2
                line = [(middle - 0.03 * size, base - 0.61 * size), (middle + 0.12 * size, base - 0.76 * size)]
                self.draw.line(line, fill=color, width=max(1, round(size / 11)))
            x += font(size).getlength(_ascii(part))

    def box(self, x: float, y: float, width: int, height: int) -> None:
        self.paste(panel(width, height, _DARK, (52, 96, 76)), x, y)


def draw(scene: Scene) -> np.ndarray:
    """Return the picture of a scene: ``uint8``, shape ``(HEIGHT, WIDTH, 3)``."""
    pen = _Pen(table_cloth(WIDTH, HEIGHT).copy())
    _contract(pen, scene)
    _scores(pen, scene)
    _last_trick(pen, scene)
    _news(pen, scene)
    for number in range(4):
        _seat(pen, scene, number)
    _centre(pen, scene)
    for seat in scene.seats:
        _speech(pen, scene, seat)
    return np.asarray(pen.image).copy()


def _team_color(scene: Scene, seat: int) -> Color:
    return _OURS if scene.sides[0].team == seat & 1 else _THEIRS


def _contract(pen: _Pen, scene: Scene) -> None:
    x, y = _EDGE, _EDGE
    pen.box(x, y, _PANEL, 108)
    title = "Last bid" if scene.phase == "auction" and scene.taker is not None else "Contract"
    pen.text(x + 14, y + 18, title, 13, _SOFT)
    pen.text(x + _PANEL - 14, y + 18, f"deal {scene.deal}", 13, _SOFT, "r")
    if scene.denomination is None:
        pen.text(
            x + 14, y + 54, "Turned card" if scene.turned else "No bid" if scene.result else "No bid yet", 22, _LIGHT
        )
        if scene.turned:
            rounds = "first" if len(scene.calls) < 4 else "second"
            pen.text(x + 14, y + 88, f"{pretty(scene.turned)}, {rounds} round", 15, _LIGHT)
        return
    left = float(x + 14)
    if scene.bid:
        pen.text(left, y + 54, scene.bid, 30, _LIGHT)
        left += pen.width(scene.bid, 30) + 10
    if len(scene.denomination) == 1:
        pen.paste(panel(38, 38, (*PAPER, 255), None, 19), left, y + 36)
        color = RED if scene.denomination in "HD" else BLACK
        pen.paste(suit_image(scene.denomination, 26, color), left + 6, y + 42)
        left += 48
    else:
        pen.text(left, y + 54, scene.denomination, 30, _GOLD)
    if scene.taker is None:
        pen.text(x + 14, y + 90, "trump of this deal", 15, _LIGHT)
        return
    pen.text(x + 14, y + 90, f"by {scene.seats[scene.taker].name}", 15, _LIGHT)
    if scene.doubled > 1:
        word = "coinche ×2" if scene.doubled == 2 else "surcoinche ×4"
        width = round(pen.width(word, 13)) + 16
        pen.paste(panel(width, 22, (176, 40, 48, 255), None, 11), x + _PANEL - 12 - width, y + 79)
        pen.text(x + _PANEL - 12 - width / 2, y + 90, word, 13, _LIGHT, "m")


def _scores(pen: _Pen, scene: Scene) -> None:
    x, y = WIDTH - _EDGE - _PANEL, _EDGE
    first, second = scene.sides
    rows: list[tuple[str, int, int]] = [("Tricks", first.tricks, second.tricks)]
    if scene.card_points:
        rows.append(("Cards", first.points, second.points))
    if scene.declarations:
        rows.append(("Declared", first.declared, second.declared))
    if first.belote or second.belote:
        rows.append(("Belote", first.belote, second.belote))
    pen.box(x, y, _PANEL, 62 + 17 * len(rows))
    columns = (x + 136, x + _PANEL - 14)
    pen.text(x + 14, y + 16, f"to {scene.target}" + (f", pot {scene.pot}" if scene.pot else ""), 13, _SOFT)
    for side, column, color in zip(scene.sides, columns, (_OURS, _THEIRS), strict=True):
        name = side.name if pen.width(side.name, 13) < 66 else side.name[:8]
        pen.text(column, y + 16, name, 13, color, "r")
        pen.text(column, y + 39, str(side.score), 21, _LIGHT, "r")
    pen.text(x + 14, y + 40, "Score", 15, _LIGHT)
    for i, (label, *values) in enumerate(rows):
        pen.text(x + 14, y + 64 + 17 * i, label, 13, _SOFT)
        for value, column in zip(values, columns, strict=True):
            pen.text(column, y + 64 + 17 * i, str(value), 14, _LIGHT, "r")


def _last_trick(pen: _Pen, scene: Scene) -> None:
    if not scene.last_trick or scene.last_winner is None:
        return
    width, height = _PANEL, 108
    x, y = _EDGE, HEIGHT - _EDGE - height
    pen.box(x, y, width, height)
    pen.text(x + 12, y + 15, "Last trick", 13, _SOFT)
    pen.text(x + width - 12, y + 15, f"won by {scene.seats[scene.last_winner].name}", 13, _LIGHT, "r")
    for i, (by, card) in enumerate(scene.last_trick):
        left = x + 12 + 50 * i
        pen.paste(card_face(card, 40), left, y + 28)
        won = by == scene.last_winner
        pen.text(left + 20, y + 96, scene.seats[by].name[:6], 12, _GOLD if won else _SOFT, "m")


def _news(pen: _Pen, scene: Scene) -> None:
    """Write what was bid, or in the play what was announced, into the corner at the lower right."""
    if scene.phase == "auction" or not (scene.taker is not None or scene.result is None):
        title = "Auction"
        lines = [(by, text) for by, text in scene.calls if text != "pass"]
    else:
        title = "Announced"
        lines = [(number, text) for number, seat in enumerate(scene.seats) for text in seat.said]
    lines = lines[-6:]
    if not lines:
        return
    height = 34 + 18 * len(lines)
    x, y = WIDTH - _EDGE - _PANEL, HEIGHT - _EDGE - height
    pen.box(x, y, _PANEL, height)
    pen.text(x + 12, y + 15, title, 13, _SOFT)
    for i, (by, text) in enumerate(lines):
        line = y + 37 + 18 * i
        pen.text(x + 12, line, scene.seats[by].name[:7], 13, _team_color(scene, by))
        pen.text(x + 62, line, text, 13, _LIGHT)


def _plate_at(place: str) -> tuple[int, int]:
    """Return the middle of the name of a seat."""
    return {
        "bottom": (_CENTRE[0], 474),
        "top": (_CENTRE[0], 121),
        "left": (_EDGE + 64, 172),
        "right": (WIDTH - _EDGE - 64, 172),
    }[place]


def _seat(pen: _Pen, scene: Scene, number: int) -> None:
    seat = scene.seats[number]
    _hand(pen, scene, number)
    x, y = _plate_at(seat.place)
    width = 128
    acts = scene.to_act == number
    fill = (92, 70, 12, 235) if acts else (*_DARK[:3], 220)
    pen.paste(panel(width, 28, fill, _GOLD if acts else (52, 96, 76), 14, 2 if acts else 1), x - width / 2, y - 14)
    pen.paste(panel(10, 10, (*_team_color(scene, number), 255), None, 5), x - width / 2 + 10, y - 5)
    name = seat.name
    while pen.width(name, 15) > (52 if number in (scene.dealer, scene.taker) else 94):
        name = name[:-1]
    pen.text(x - width / 2 + 26, y, name, 15, _GOLD if acts else _LIGHT)
    right = x + width / 2 - 15
    if scene.dealer == number:
        pen.paste(panel(20, 20, (*PAPER, 255), None, 10), right - 10, y - 10)
        pen.text(right, y, "D", 13, BLACK, "m")
        right -= 22
    if scene.taker == number and scene.denomination is not None and len(scene.denomination) == 1:
        pen.paste(panel(20, 20, (*PAPER, 255), None, 10), right - 10, y - 10)
        color = RED if scene.denomination in "HD" else BLACK
        pen.paste(suit_image(scene.denomination, 14, color), right - 7, y - 7)


def _hand(pen: _Pen, scene: Scene, number: int) -> None:
    seat = scene.seats[number]
    count = len(seat.hand) or seat.hidden
    width = _HAND[seat.place]
    height = card_height(width)
    if seat.place in ("bottom", "top"):
        step = 48 if seat.place == "bottom" else 31 if seat.hand else 20
        left = _CENTRE[0] - (step * (count - 1) + width) / 2
        y = HEIGHT - height - 12 if seat.place == "bottom" else 8
        places = [(left + step * i, float(y)) for i in range(count)]
        lift = (0, -14) if seat.place == "bottom" else (0, 8)
    else:
        step = 27 if seat.hand else 18
        wide = width if seat.hand else height
        x = _EDGE + 4 if seat.place == "left" else WIDTH - _EDGE - 4 - wide
        places = [(float(x), 194.0 + step * i) for i in range(count)]
        lift = (14, 0) if seat.place == "left" else (-14, 0)
    for i, (left, top) in enumerate(places):
        if not seat.hand:
            pen.paste(card_back(width, seat.place in ("left", "right")), left, top)
            continue
        card = seat.hand[i]
        legal = card in seat.legal
        pen.paste(card_face(card, width), left + lift[0] * legal, top + lift[1] * legal)
        if seat.legal and not legal:
            pen.paste(panel(width, height, (20, 40, 34, 84), None, round(0.09 * width)), left, top)


def _centre(pen: _Pen, scene: Scene) -> None:
    x, y = _CENTRE
    if scene.result is not None:
        _result(pen, scene)
        return
    if scene.phase == "auction" and scene.turned:
        width = 76
        for i in range(3):
            pen.paste(card_back(width), x - width - 6 - 2 * i, y - card_height(width) / 2 - 2 * i)
        pen.paste(card_face(scene.turned, width), x + 8, y - card_height(width) / 2 - 2)
    width = 70
    height = card_height(width)
    offsets = {"bottom": (0, 54), "top": (0, -54), "left": (-78, 0), "right": (78, 0)}
    for by, card in scene.trick:
        dx, dy = offsets[scene.seats[by].place]
        left, top = x + dx - width / 2, y + dy - height / 2
        if by == scene.winning:
            pen.paste(panel(width + 8, height + 8, (*_GOLD, 255), None, 9), left - 4, top - 4)
        pen.paste(card_face(card, width), left, top)
    for seat in scene.seats:
        _shown(pen, seat)


def _shown(pen: _Pen, seat: Seat) -> None:
    """Lay the declaration cards of a seat open beside it."""
    if not seat.shown:
        return
    width, step = 40, 18
    total = step * (len(seat.shown) - 1) + width
    x, y = {
        "bottom": (_CENTRE[0] + 80, 408),
        "top": (_CENTRE[0] + 80, 140),
        "left": (_EDGE + 116, 360),
        "right": (WIDTH - _EDGE - 116 - total, 360),
    }[seat.place]
    for i, card in enumerate(seat.shown):
        pen.paste(card_face(card, width), x + step * i, y)


def _speech(pen: _Pen, scene: Scene, seat: Seat) -> None:
    auction = scene.phase == "auction" or (scene.result is not None and scene.denomination is None)
    text = seat.call if auction else seat.speech
    if not text:
        return
    size = 16 if len(text) < 20 else 13
    width, height = round(pen.width(text, size)) + 28, 32
    quiet = text == "pass"
    strong = text in ("coinche", "surcoinche")
    fill: Color = (186, 204, 194) if quiet else (255, 226, 148) if strong else PAPER
    image, left, top = bubble(width, height, fill, seat.place)
    x, y = {
        "bottom": (_CENTRE[0] - image.width / 2, 456 - image.height),
        "top": (_CENTRE[0] - image.width / 2, 139),
        "left": (_EDGE + 134, 156),
        "right": (WIDTH - _EDGE - 134 - image.width, 156),
    }[seat.place]
    pen.paste(image, x, y)
    pen.text(x + left + width / 2, y + top + height / 2, text, size, (92, 104, 98) if quiet else BLACK, "m")


def _result(pen: _Pen, scene: Scene) -> None:
    rows = result_rows(scene)
    if scene.denomination is None:
        rows = rows[-1:]
    verdict = scene.verdict
    width, height = 348, 84 + 22 * len(rows) + (30 if verdict else 0)
    x, y = _CENTRE[0] - width // 2, _CENTRE[1] + 4 - height // 2
    pen.paste(panel(width, height, (8, 30, 24, 232), _GOLD, 14), x, y)
    color = _THEIRS if scene.headline == "Contract failed" else _GOLD
    pen.text(_CENTRE[0], y + 26, scene.headline, 22, color, "m")
    columns = (x + 228, x + width - 26)
    for side, column, tone in zip(scene.sides, columns, (_OURS, _THEIRS), strict=True):
        pen.text(column, y + 56, side.name, 14, tone, "r")
    for i, (label, *values) in enumerate(rows):
        line = y + 78 + 22 * i
        last = i >= len(rows) - 2
        pen.text(x + 26, line, label, 15, _LIGHT if last else _SOFT)
        for value, column in zip(values, columns, strict=True):
            pen.text(column, line, str(value), 17 if last else 15, _LIGHT, "r")
    if verdict:
        pen.text(_CENTRE[0], y + height - 20, verdict, 18, _GOLD, "m")
