"""What is to be shown of a table: a :class:`Scene`, and the text, picture or window made from one.

A scene is built from a :class:`~belote_env.view.View` (what one seat may know: nothing hidden can leak into it) or
from a whole state (open hands). Texts in a scene are for people: suits are symbols, seats have names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from belote_env.actions import ACTIONS
from belote_env.cards import CARDS, DENOMINATIONS, FULL_PACK, RANKS, cards_of, pretty
from belote_env.checks import unknown
from belote_env.engine import kernel
from belote_env.engine import layout as at
from belote_env.engine.declarations import CARRE, declaration_kind, declaration_mask, declaration_points
from belote_env.engine.layout import NONE
from belote_env.engine.tables import STRENGTH
from belote_env.render_text import ansi
from belote_env.render_window import Window
from belote_env.rules import Rules
from belote_env.sheet import bid_value, score_sheet, winner_of
from belote_env.view import View

if TYPE_CHECKING:
    from belote_env.game import Game

__all__ = ["Renderer", "Scene", "Seat", "Side", "Window", "ansi", "open_scene", "picture", "scene"]

RENDER_MODES = ("human", "ansi", "rgb_array")
PLACES = ("bottom", "right", "top", "left")
_KINDS = ("", "tierce", "cinquante", "cent", "carré")
_SYMBOLS = (*"♠♥♦♣", "NT", "AT")
_SUIT_ORDER = (0, 1, 3, 2)  # black and red in turn


@dataclass(frozen=True)
class Seat:
    """One seat as it is shown.

    Attributes:
        name: of the player.
        place: ``bottom``, ``right``, ``top`` or ``left``.
        hand: the cards that are seen, in the order in which they are held.
        hidden: number of cards face down.
        legal: those cards of the hand that may be played now.
        call: what the seat said last in the auction; empty if nothing yet.
        said: declarations and belotes announced in the play.
        speech: what it is saying right now.
        shown: declaration cards that lie open now.
    """

    name: str
    place: str
    hand: tuple[str, ...]
    hidden: int
    legal: tuple[str, ...]
    call: str
    said: tuple[str, ...]
    speech: str
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """One team: its name, match score, and what it has in this deal."""

    name: str
    team: int
    score: int
    tricks: int
    points: int
    declared: int
    belote: int


@dataclass(frozen=True)
class Scene:
    """All that is shown of a table.

    Attributes:
        game: name of the rule set.
        viewer: whose view it is, or None with open hands.
        phase: ``auction``, ``announce``, ``play``, ``belote`` or ``over``.
        to_act: seat to act, None when the deal is over.
        dealer: seat that dealt.
        deal: number of the deal in the match.
        seats: the four seats, by number.
        sides: the two teams, that of the seat at the bottom first.
        target: points that win the match.
        pot: points that wait after a litige.
        turned: the card turned up, if the game has one.
        calls: the auction: ``(seat, text)`` in order, passes included.
        taker: seat that holds the contract, or the last bid.
        denomination: of the contract, the last bid or the drawn trump: ``S H D C NT AT``.
        bid: value of the contract, empty where there is none.
        doubled: 1, 2 (coinche) or 4 (surcoinche).
        trick: ``(seat, card)`` on the table; ``winning`` is the seat that is winning it.
        last_trick: the one before, won by ``last_winner``.
        declarations: whether the game has declarations.
        card_points: whether the game counts card points.
        result: the score sheet (rules §10) when the deal is over.
        winner: team that has won the match, ``"draw"`` or None.
    """

    game: str
    viewer: int | None
    phase: str
    to_act: int | None
    dealer: int
    deal: int
    seats: tuple[Seat, Seat, Seat, Seat]
    sides: tuple[Side, Side]
    target: int
    pot: int
    turned: str | None
    calls: tuple[tuple[int, str], ...]
    taker: int | None
    denomination: str | None
    bid: str
    doubled: int
    trick: tuple[tuple[int, str], ...]
    winning: int | None
    last_trick: tuple[tuple[int, str], ...]
    last_winner: int | None
    declarations: bool
    card_points: bool
    result: dict[str, Any] | None
    winner: int | str | None

    @property
    def headline(self) -> str:
        """How the deal ended, in a few words; empty while it goes on."""
        if self.result is None:
            return ""
        if self.denomination is None:
            return "Thrown in"
        made = self.result["made"]
        if made is None:
            return "Litige" if self.taker is not None else "Deal over"
        return "Contract made" if made else "Contract failed"

    @property
    def verdict(self) -> str:
        """Who has won the match; empty while it goes on."""
        if self.winner is None:
            return ""
        if self.winner == "draw":
            return "The match is drawn"
        name = next(side.name for side in self.sides if side.team == self.winner)
        return "We win the match" if name == "Us" else "They win the match" if name == "Them" else f"{name} win"


def scene(view: View, names: Sequence[str] | None = None) -> Scene:
    """Return what the seat of ``view`` sees, that seat at the bottom.

    Args:
        view: what the seat may know; the scene is made from this alone.
        names: of the four seats; by default "You" and S0 to S3.
    """
    return _build(view.rules, view.state, view.seat, view.seat, view.legal, names)


def open_scene(rules: Rules, state: np.ndarray, bottom: int = 0, names: Sequence[str] | None = None) -> Scene:
    """Return the table with all hands open.

    Args:
        rules: rule set of the game.
        state: the whole state, as ``Game.state``.
        bottom: seat at the bottom.
        names: of the four seats; by default S0 to S3.
    """
    ids = np.empty(at.NUM_ACTIONS, dtype=np.int64)
    count = kernel.legal_actions(state, rules.vector, ids)
    return _build(rules, state, None, bottom, ids[:count].tolist(), names)


def picture(scene: Scene) -> np.ndarray:
    """Return the table as a picture: ``uint8``, shape ``(640, 960, 3)``.

    Raises:
        ImportError: without Pillow.
    """
    try:
        from belote_env.render_picture import draw
    except ImportError as error:
        if not (error.name or "").startswith("PIL"):
            raise
        raise ImportError('pictures need Pillow: pip install "belote-env[render]"') from error
    return draw(scene)


def bid_text(rules: Rules, rung: int, denomination: int) -> str:
    """Return a bid as people read it: ``80 ♥``, ``capot NT``, ``5 tricks ♠``."""
    return f"{_value_text(rules, rung)} {_SYMBOLS[denomination]}"


def _value_text(rules: Rules, rung: int) -> str:
    value = bid_value(rules, rung)
    if isinstance(value, int) and rules.auction == "tricks":
        return "1 trick" if value == 1 else f"{value} tricks"
    return "générale" if value == "generale" else str(value)


def _calls(rules: Rules, s: list[int]) -> list[tuple[int, str]]:
    """Return every call of the auction: the bids are in the state, and the passes between them follow."""
    seat = (s[at.DEALER] + 1) & 3
    calls: list[tuple[int, str]] = []

    def say(by: int, text: str) -> None:
        calls.append((by, text))

    def pass_until(by: int) -> None:
        nonlocal seat
        while seat != by:
            say(seat, "pass")
            seat = (seat + 1) & 3

    if rules.auction == "none":
        return calls
    if rules.auction == "turned":
        for _ in range(s[at.PASSES]):
            say(seat, "pass")
            seat = (seat + 1) & 3
        if s[at.TAKER] != NONE:
            say(s[at.TAKER], f"take {_SYMBOLS[s[at.DENOMINATION]]}")
        return calls
    for rung in range(at.NUM_RUNGS):
        bid = s[at.LADDER + rung] - 1
        if bid >= 0:
            pass_until(bid & 3)
            say(seat, bid_text(rules, rung, bid >> 2))
            seat = (seat + 1) & 3
    coincher = s[at.COINCHER]
    if coincher == NONE:
        for _ in range(s[at.PASSES]):
            say(seat, "pass")
            seat = (seat + 1) & 3
        return calls
    pass_until(coincher)
    say(coincher, "coinche")
    answers = [s[at.TAKER]] if rules.surcoinche == "bidder" else [(coincher + 1) & 3, (coincher + 3) & 3]
    for answer in answers[: s[at.PASSES]]:
        say(answer, "pass")
    if s[at.SURCOINCHER] != NONE:
        say(s[at.SURCOINCHER], "surcoinche")
    return calls


def _declaration_text(declaration: int) -> str:
    """Return as much of a declaration as is known: ``tierce``, ``tierce to J``, ``tierce to J♥``, ``carré of J``."""
    kind = declaration_kind(declaration)
    text = _KINDS[kind]
    if declaration >> 3 == 0:
        return text
    cards = list(cards_of(declaration_mask(declaration) & FULL_PACK)) if declaration >> 8 else []
    rank = RANKS[declaration >> 3 & 7].replace("T", "10")
    if kind == CARRE:
        text += f" of {rank}"
    elif cards:
        text += f" to {pretty(CARDS[cards[-1]])}"
    else:
        text += f" to {rank}"
    return text + f" ({declaration_points(declaration)})" if cards else text


def _held(mask: int, denomination: int) -> tuple[str, ...]:
    """Return cards as a player holds them: trumps first, then colours in turn, each suit from its best card down."""
    order = denomination if denomination != NONE else 4

    def key(card: int) -> tuple[bool, int, int]:
        suit = card >> 3
        return suit != denomination, _SUIT_ORDER.index(suit), -int(STRENGTH[order, card])

    return tuple(CARDS[card] for card in sorted(cards_of(mask & FULL_PACK), key=key))


def _build(
    rules: Rules, state: np.ndarray, viewer: int | None, bottom: int, legal: list[int], names: Sequence[str] | None
) -> Scene:
    s: list[int] = state.tolist()
    if names is None:
        names = ["You" if seat == viewer else f"S{seat}" for seat in range(4)]
    phase = at.PHASE_NAMES[s[at.PHASE]]
    over = phase == "over"
    dealt_out = rules.deal != "turned" or (s[at.TAKER] != NONE and phase != "auction")
    played = s[at.PLAYED]
    plays = [((s[at.LEADERS + i // 4] + i) & 3, CARDS[s[at.SEQUENCE + i]]) for i in range(played)]
    start = 4 * ((played - 1) // 4) if s[at.BEST] != NONE else played
    trick, last = tuple(plays[start:]), tuple(plays[max(start - 4, 0) : start])
    denomination = s[at.DENOMINATION]
    calls = _calls(rules, s)
    lasting = dict(calls)
    may_play = {ACTIONS[action].removeprefix("play ") for action in legal if action < 32}
    now = trick or last

    def seat_of(seat: int) -> Seat:
        hand = _held(s[at.HANDS + seat], NONE if phase == "auction" else denomination)
        count = (8 if dealt_out else 5) - sum(by == seat for by, _ in plays)
        spoken = s[at.ANNOUNCED + seat] == 1
        own = [s[at.DECLARATIONS + 2 * seat + i] for i in range(2)] if spoken else []
        declared = [_declaration_text(one) for one in own if one]
        said, speech = list(declared), ""
        if declared and played <= 4:
            speech = ", ".join(_KINDS[declaration_kind(one)] for one in own if one)
        for suit in range(4):
            if s[at.CALLED + suit] > 0 and s[at.PAIR + suit] == seat:
                words = "belote" if s[at.CALLED + suit] == 1 else "belote, rebelote"
                said.append(f"{words} {_SYMBOLS[suit]}" if denomination == 5 else words)
                if any(by == seat and card in (f"K{'SHDC'[suit]}", f"Q{'SHDC'[suit]}") for by, card in now):
                    speech = ", ".join(filter(None, [speech, words.split(", ")[-1]]))
        if seat == s[at.SEAT] and phase in ("announce", "belote"):
            speech = "announce?" if phase == "announce" else "belote?"
        turn = (seat - bottom) & 3
        return Seat(
            name=names[seat],
            place=PLACES[turn if rules.direction == "anticlockwise" else -turn & 3],
            hand=hand,
            hidden=0 if hand else count,
            legal=tuple(card for card in hand if card in may_play) if seat == s[at.SEAT] else (),
            call=lasting.get(seat, ""),
            said=tuple(said),
            speech="" if over else speech,
            shown=_held(s[at.SHOWN + seat], denomination) if 4 <= played <= 8 else (),
        )

    def side_of(team: int) -> Side:
        own = viewer is not None
        name = ("Us" if team == bottom & 1 else "Them") if own else f"{names[team]}+{names[team + 2]}"
        pairs = (at.SCORES, at.TRICKS, at.POINTS, at.DECLARED, at.BELOTE_POINTS)
        return Side(name, team, *(s[field + team] for field in pairs))

    rung = s[at.RUNG]
    return Scene(
        game=rules.base,
        viewer=viewer,
        phase=phase,
        to_act=None if over else s[at.SEAT],
        dealer=s[at.DEALER],
        deal=s[at.DEALS],
        seats=(seat_of(0), seat_of(1), seat_of(2), seat_of(3)),
        sides=(side_of(bottom & 1), side_of(1 - (bottom & 1))),
        target=rules.target,
        pot=s[at.POT],
        turned=None if s[at.TURNED] == NONE else CARDS[s[at.TURNED]],
        calls=tuple(calls),
        taker=None if s[at.TAKER] == NONE else s[at.TAKER],
        denomination=None if denomination == NONE else DENOMINATIONS[denomination],
        bid="" if rung == NONE else _value_text(rules, rung),
        doubled=s[at.DOUBLED],
        trick=trick,
        winning=s[at.BEST_SEAT] if trick else None,
        last_trick=last,
        last_winner=s[at.LEADERS + start // 4] if last else None,
        declarations=rules.declarations,
        card_points=rules.scoring not in ("encheres", "more_tricks"),
        result=score_sheet(rules, state) if over else None,
        winner=winner_of(state),
    )


class Renderer:
    """Renders games for an environment.

    Args:
        rules: the rule set.
        mode: ``"human"``, ``"ansi"``, ``"rgb_array"`` or None.
        seat: the seat whose view is shown; None shows all hands.
        fps: most pictures a second in a window; None: no wait.

    Raises:
        ValueError: for another mode or seat.
    """

    def __init__(self, rules: Rules, mode: str | None = None, seat: int | None = None, fps: float | None = 2) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(unknown("render_mode", mode, RENDER_MODES))
        if seat is not None and seat not in range(4):
            raise ValueError(f"render_seat must be 0, 1, 2, 3 or None, not {seat!r}")
        self.rules = rules
        self.mode = mode
        self.seat = seat
        self._fps = fps
        self._window: Window | None = None

    def scene(self, game: Game) -> Scene:
        """Return what this renderer shows of a game."""
        if self.seat is None:
            return open_scene(game.rules, game.state)
        return scene(game.view(self.seat))

    def render(self, game: Game) -> str | np.ndarray | None:
        """Return the table as text or picture, or show it in a window and return None, by the mode."""
        if self.mode is None:
            return None
        now = self.scene(game)
        if self.mode == "ansi":
            return ansi(now)
        image = picture(now)
        if self.mode == "rgb_array":
            return image
        if self._window is None:
            self._window = Window(f"Belote: {self.rules}", self._fps)
        self._window.show(image)
        return None

    def close(self) -> None:
        """Close the window, if there is one; the next picture opens a new one."""
        if self._window is not None:
            self._window.close()
            self._window = None
