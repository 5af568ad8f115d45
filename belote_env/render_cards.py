"""Drawn pieces of the picture of a table: suits, card faces and backs, panels. Each is drawn once, large, then kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import cos, pi, sin

from PIL import Image, ImageDraw, ImageFont

Color = tuple[int, int, int]

BLACK: Color = (28, 30, 36)
RED: Color = (198, 32, 44)
PAPER: Color = (253, 252, 247)
SUIT_COLORS: dict[str, Color] = {"S": BLACK, "H": RED, "D": RED, "C": BLACK}
_SCALE = 4
_RATIO = 1.42
# Centres of the pips of a rank, as parts of the width and height of the card.
_L, _M, _R = 0.34, 0.5, 0.66
_SIX = [(x, y) for x in (_L, _R) for y in (0.21, 0.5, 0.79)]
_EIGHT = [(x, y) for x in (_L, _R) for y in (0.2, 0.4, 0.6, 0.8)]
_PIPS: dict[str, list[tuple[float, float]]] = {
    "7": [*_SIX, (_M, 0.355)],
    "8": [*_SIX, (_M, 0.355), (_M, 0.645)],
    "9": [*_EIGHT, (_M, 0.5)],
    "T": [*_EIGHT, (_M, 0.3), (_M, 0.7)],
}
_ROBES: dict[str, Color] = {"J": (62, 108, 168), "Q": (160, 62, 110), "K": (186, 128, 34)}


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the font that comes with Pillow, at a size in pixels."""
    return ImageFont.load_default(size=size)


def card_height(width: int) -> int:
    """Return the height of a card of this width."""
    return round(width * _RATIO)


def _drawn(width: int, height: int, paint: Callable[[ImageDraw.ImageDraw, int], None], color: Color) -> Image.Image:
    """Return what ``paint`` draws in an image ``_SCALE`` times as large, made smooth by shrinking it."""
    large = Image.new("RGBA", (width * _SCALE, height * _SCALE), (*color, 0))
    paint(ImageDraw.Draw(large), _SCALE)
    return large.reduce(_SCALE)


def _heart(x: float, y: float, r: float, up: int) -> list[tuple[float, float]]:
    points = []
    for step in range(48):
        t = 2 * pi * step / 48
        dx = 16 * sin(t) ** 3
        dy = 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t) + 2.5
        points.append((x + dx * r / 16, y - up * dy * r / 15))
    return points


def draw_suit(draw: ImageDraw.ImageDraw, suit: str, x: float, y: float, size: float, color: Color, up: int = 1) -> None:
    """Draw a suit with its centre at ``(x, y)``; ``up`` is -1 to draw it upside down."""
    r = size / 2

    def circle(dx: float, dy: float, radius: float) -> None:
        cx, cy = x + dx * r, y + up * dy * r
        draw.ellipse([cx - radius * r, cy - radius * r, cx + radius * r, cy + radius * r], fill=color)

    def stem(top: float) -> None:
        points = [(-0.07, top), (0.07, top), (0.12, 0.62), (0.38, 1.0), (-0.38, 1.0), (-0.12, 0.62)]
        draw.polygon([(x + dx * r, y + up * dy * r) for dx, dy in points], fill=color)

    if suit == "D":
        bend = 0.06
        corners = [(0.0, -1.0), (0.78, 0.0), (0.0, 1.0), (-0.78, 0.0)]
        points = []
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            points += [(x + ax * r, y + ay * r), (x + (ax + bx) * (0.5 - bend) * r, y + (ay + by) * (0.5 - bend) * r)]
        draw.polygon(points, fill=color)
    elif suit == "H":
        draw.polygon(_heart(x, y, 0.95 * r, up), fill=color)
    elif suit == "S":
        draw.polygon(_heart(x, y - 0.12 * up * r, 0.86 * r, -up), fill=color)
        stem(0.2)
    else:
        circle(0, -0.5, 0.46)
        circle(-0.5, 0.2, 0.46)
        circle(0.5, 0.2, 0.46)
        circle(0, 0, 0.3)
        stem(0.0)


@cache
def suit_image(suit: str, size: int, color: Color) -> Image.Image:
    """Return a suit of ``size`` pixels on nothing."""
    middle = size * _SCALE / 2
    return _drawn(size, size, lambda draw, k: draw_suit(draw, suit, middle, middle, size * k * 0.94, color), color)


def _crown(draw: ImageDraw.ImageDraw, rank: str, x: float, y: float, w: float, color: Color) -> None:
    """Draw what a jack, queen or king wears, its foot centred at ``(x, y)``."""
    if rank == "J":
        draw.rounded_rectangle([x - 0.5 * w, y - 0.2 * w, x + 0.5 * w, y], radius=0.08 * w, fill=color)
        draw.pieslice([x - 0.4 * w, y - 0.62 * w, x + 0.4 * w, y + 0.2 * w], 180, 360, fill=color)
        draw.polygon(
            [(x + 0.1 * w, y - 0.45 * w), (x + 0.62 * w, y - 0.85 * w), (x + 0.34 * w, y - 0.2 * w)], fill=color
        )
        return
    tips = 3 if rank == "Q" else 5
    points = [(x - 0.5 * w, y), (x - 0.5 * w, y - 0.52 * w)]
    for tip in range(1, 2 * tips - 2):
        height = 0.22 if tip % 2 else 0.62
        points.append((x - 0.5 * w + tip * w / (2 * tips - 2), y - height * w))
    draw.polygon([*points, (x + 0.5 * w, y - 0.52 * w), (x + 0.5 * w, y)], fill=color)
    for tip in range(tips):
        cx = x - 0.5 * w + tip * w / (tips - 1)
        cy = y - (0.52 if tip in (0, tips - 1) else 0.62) * w
        draw.ellipse([cx - 0.08 * w, cy - 0.08 * w, cx + 0.08 * w, cy + 0.08 * w], fill=color)
    if rank == "K":
        draw.rectangle([x - 0.5 * w, y + 0.06 * w, x + 0.5 * w, y + 0.16 * w], fill=color)


def _half(rank: str, suit: str, width: int, height: int) -> Image.Image:
    """Return the upper half of what is in the middle of a court card; the lower one is the same, turned round."""
    robe, color = _ROBES[rank], SUIT_COLORS[suit]
    pale = (*(255 - (255 - part) // 6 for part in robe), 255)
    half = Image.new("RGBA", (width, height), pale)
    draw = ImageDraw.Draw(half)
    x, skin = width / 2, (250, 226, 200)
    # Shoulders, collar, hair, face, crown.
    draw.polygon([(0, height), (0.1 * width, 0.82 * height), (0.9 * width, 0.82 * height), (width, height)], fill=robe)
    draw.polygon(
        [(0.1 * width, 0.84 * height), (x, 0.7 * height), (0.9 * width, 0.84 * height), (x, height)], fill=robe
    )
    draw.polygon([(x - 0.16 * width, 0.76 * height), (x + 0.16 * width, 0.76 * height), (x, height)], fill=PAPER)
    hair = (96, 62, 32) if rank != "Q" else (190, 134, 52)
    wide = {"J": 0.21, "Q": 0.25, "K": 0.2}[rank] * width
    draw.rounded_rectangle([x - wide, 0.36 * height, x + wide, 0.84 * height], radius=0.1 * width, fill=hair)
    draw.ellipse([x - 0.155 * width, 0.36 * height, x + 0.155 * width, 0.82 * height], fill=skin)
    if rank == "K":
        draw.pieslice([x - 0.165 * width, 0.4 * height, x + 0.165 * width, 0.9 * height], 10, 170, fill=hair)
    for dx in (-0.06, 0.06):
        cx, cy, r = x + dx * width, 0.56 * height, 0.018 * width
        draw.ellipse([cx - r, cy - r, cx + r, cy + r], fill=BLACK)
    _crown(draw, rank, x, 0.43 * height, 0.42 * width, color if rank != "J" else robe)
    draw_suit(draw, suit, 0.17 * width, 0.2 * height, 0.24 * width, color)
    return half


@cache
def card_face(card: str, width: int) -> Image.Image:
    """Return the face of a card written as ``JH``."""
    rank, suit = card[0], card[1]
    color, height = SUIT_COLORS[suit], card_height(width)
    w, h = width * _SCALE, height * _SCALE
    large = Image.new("RGBA", (w, h), (*PAPER, 0))
    draw = ImageDraw.Draw(large)
    draw.rounded_rectangle(
        [0, 0, w - 1, h - 1], radius=0.09 * w, fill=PAPER, outline=(120, 124, 128), width=round(0.7 * _SCALE)
    )
    if rank in _PIPS:
        for x, y in _PIPS[rank]:
            draw_suit(draw, suit, x * w, y * h, 0.185 * w, color, 1 if y <= 0.5 else -1)
    elif rank == "A":
        draw_suit(draw, suit, 0.5 * w, 0.5 * h, 0.46 * w, color)
    else:
        box_w, box_h = round(0.5 * w), round(0.76 * h) // 2
        left, top = (w - box_w) // 2, h // 2 - box_h
        half = _half(rank, suit, box_w, box_h)
        large.paste(half, (left, top))
        large.paste(half.rotate(180), (left, top + box_h))
        frame = [left, top, left + box_w, top + 2 * box_h]
        draw.rectangle(frame, outline=color, width=_SCALE)
    _corner(large, rank, suit, w, color)
    turned = large.rotate(180)
    _corner(turned, rank, suit, w, color)
    return turned.rotate(180).reduce(_SCALE)


def _corner(large: Image.Image, rank: str, suit: str, w: int, color: Color) -> None:
    draw = ImageDraw.Draw(large)
    text, size = ("10", 0.21) if rank == "T" else (rank, 0.26)
    draw.text(
        (0.13 * w, 0.25 * w), text, font=font(round(size * w)), fill=color, anchor="ms", stroke_width=round(0.006 * w)
    )
    draw_suit(draw, suit, 0.13 * w, 0.365 * w, 0.165 * w, color)


@cache
def card_back(width: int, flat: bool = False) -> Image.Image:
    """Return the back of a card, on its side if ``flat``."""
    height = card_height(width)

    def paint(draw: ImageDraw.ImageDraw, k: int) -> None:
        w, h, edge = width * k, height * k, 0.075 * width * k
        draw.rounded_rectangle([0, 0, w - 1, h - 1], radius=0.09 * w, fill=PAPER, outline=(110, 114, 120), width=k)
        draw.rounded_rectangle([edge, edge, w - edge, h - edge], radius=0.05 * w, fill=(34, 70, 128))
        step = (w - 2 * edge) / 5
        rows = round((h - 2 * edge) / step)
        tall = (h - 2 * edge) / rows
        for i in range(5):
            for j in range(rows):
                x, y = edge + (i + 0.5) * step, edge + (j + 0.5) * tall
                r = 0.42
                points = [(x, y - r * tall), (x + r * step, y), (x, y + r * tall), (x - r * step, y)]
                draw.polygon(points, fill=(74, 116, 178))
                draw.ellipse([x - 0.1 * step, y - 0.1 * step, x + 0.1 * step, y + 0.1 * step], fill=(224, 232, 244))

    back = _drawn(width, height, paint, PAPER)
    return back.transpose(Image.Transpose.ROTATE_90) if flat else back


@cache
def panel(
    width: int, height: int, fill: tuple[int, int, int, int], edge: Color | None = None, radius: int = 10, line: int = 1
) -> Image.Image:
    """Return a box with round corners."""

    def paint(draw: ImageDraw.ImageDraw, k: int) -> None:
        draw.rounded_rectangle(
            [0, 0, width * k - 1, height * k - 1], radius=radius * k, fill=fill, outline=edge, width=line * k
        )

    return _drawn(width, height, paint, fill[:3])


@cache
def bubble(width: int, height: int, fill: Color, place: str) -> tuple[Image.Image, int, int]:
    """Return a speech bubble whose tail points to a seat, and where its box begins in it."""
    tail = 9
    left, top = (tail if place == "left" else 0), (tail if place == "top" else 0)
    across = place in ("left", "right")
    size = (width + tail * across, height + tail * (not across))

    def paint(draw: ImageDraw.ImageDraw, k: int) -> None:
        box = [left * k, top * k, (left + width) * k - 1, (top + height) * k - 1]
        draw.rounded_rectangle(box, radius=height * k // 2 - 1, fill=fill)
        cx, cy = (left + width / 2) * k, (top + height / 2) * k
        t = 7 * k
        tips: dict[str, list[tuple[float, float]]] = {
            "top": [(cx - t, top * k + k), (cx + t, top * k + k), (cx, 0)],
            "bottom": [(cx - t, height * k - k), (cx + t, height * k - k), (cx, size[1] * k)],
            "left": [(left * k + k, cy - t), (left * k + k, cy + t), (0, cy)],
            "right": [(width * k - k, cy - t), (width * k - k, cy + t), (size[0] * k, cy)],
        }
        draw.polygon(tips[place], fill=fill)

    return _drawn(*size, paint, fill), left, top


@cache
def table_cloth(width: int, height: int) -> Image.Image:
    """Return the table: green, lighter in the middle, with a rim."""
    glow = Image.radial_gradient("L").resize((width, height)).point(lambda value: min(255, round(value * 1.15)))
    cloth = Image.composite(
        Image.new("RGB", (width, height), (10, 58, 40)), Image.new("RGB", (width, height), (38, 118, 78)), glow
    )
    oval = _drawn(
        width,
        height,
        lambda draw, k: draw.ellipse(
            [width * 0.27 * k, height * 0.25 * k, width * 0.73 * k, height * 0.69 * k],
            outline=(255, 255, 255, 26),
            width=2 * k,
        ),
        (255, 255, 255),
    )
    cloth.paste(oval, (0, 0), oval)
    return cloth
