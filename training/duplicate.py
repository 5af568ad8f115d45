"""Duplicate deals and matches: the same cards played by A and by B, so that the luck of the cards cancels out.

Two protocols (rules §8). ``team``: two tables, two copies of A against two of B, A on seats 0+2 at the first and on
1+3 at the second. ``table``: four tables, A on each seat in turn, with a partner of B's level but never below Hard,
against two of B. In a deal everybody starts at 0-0; a match goes on to the target of the rules, the dealer's turn
passing round and the pot waiting, with the same packs at every table as long as the rules shuffle between deals.

What is played here is a generator: it yields each decision that it waits for, is sent the answer, and returns what came
of it. ``lockstep`` has the answers given, for one after another or for hundreds together.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from agents.base import Agent
from agents.registry import make
from belote_env.actions import ACTIONS
from belote_env.engine import kernel
from belote_env.engine.layout import NUM_ACTIONS, OVER, PHASE, SEAT
from belote_env.errors import IllegalActionError
from belote_env.game import Game
from belote_env.rules import Rules
from belote_env.sheet import score_sheet
from belote_env.view import View
from training.latency import Latency

# Who sits where at each table: 0 for A, 1 for B, 2 for A's partner.
SEATINGS = {
    "team": ((0, 1, 0, 1), (1, 0, 1, 0)),
    "table": ((0, 1, 2, 1), (1, 0, 1, 2), (2, 1, 0, 1), (1, 2, 1, 0)),
}
PROTOCOLS = tuple(SEATINGS)

_BELOW_HARD = ("random", "easy", "normal")

_Result = TypeVar("_Result")


class Request(NamedTuple):
    """A decision to be made: an agent, and what its seat may know."""

    agent: Agent
    view: View


class Answer(NamedTuple):
    """The action that an agent chose, and how long that took."""

    action: int
    nanoseconds: int


Play: TypeAlias = Generator[Request, Answer, _Result]


@dataclass(frozen=True)
class Pairing:
    """Who plays whom, at what, and with which cards. Everything that is played follows from it and a number.

    Attributes:
        agents: what :func:`agents.registry.make` takes, for A and B.
        rules: the rule set.
        seed: of cards and agents, 0 or more.
        protocol: ``"team"`` or ``"table"``.
        match: whether matches are played, or single deals.
    """

    agents: tuple[str, str]
    rules: Rules
    seed: int = 0
    protocol: str = "team"
    match: bool = False

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}, expected 0 or more")
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"protocol is {self.protocol!r}, expected one of {', '.join(PROTOCOLS)}")
        for agent in self.players:
            make(agent, self.rules, self.seed)

    @property
    def players(self) -> tuple[str, ...]:
        """A, B, and in ``table`` A's partner."""
        if self.protocol == "team":
            return self.agents
        level = self.agents[1]
        return (*self.agents, "hard" if level in _BELOW_HARD else level)

    @property
    def unit(self) -> str:
        """What is counted: ``"deal"`` or ``"match"``."""
        return "match" if self.match else "deal"

    def seed_of(self, number: int, table: int, seat: int, deal: int) -> np.random.SeedSequence:
        """Return the seed of the agent on a seat in one deal."""
        # Tables are numbered by who sits there, so that B against A is A against B exactly turned round.
        if self.protocol == "team" and self.agents[0] > self.agents[1]:
            table = 1 - table
        # Spawn keys, because a list of words is padded with zeros: [seed, deal] and [seed, deal, 0, 0] are one seed.
        return np.random.SeedSequence(self.seed, spawn_key=(number, table, seat, deal))


class Deal(NamedTuple):
    """What the statistics need of a deal at one table; of two numbers, that of A's side comes first.

    Attributes:
        scores: of the deal.
        declarations: points of declarations won.
        taker: 0 if A's side took, 1 if the other did, None without a contract.
        value: of the contract as a text: ``"80"``, ``"capot"``, ``""`` in the turned-card auction.
        denomination: of the contract.
        doubled: 1, 2 or 4.
        made: whether the contract was made; None for a litige.
    """

    scores: tuple[int, int]
    declarations: tuple[int, int]
    taker: int | None = None
    value: str = ""
    denomination: str = ""
    doubled: int = 1
    made: bool | None = None


class Outcome(NamedTuple):
    """What came of one number of a pairing.

    Attributes:
        tables: the deals played at each table.
        winners: of the match at each table, 0 for A's side, 1, or None for a draw; empty if deals were played.
        seconds: how long it took, or its share of that if several were played together.
        latency: of the decisions of A and of B between two or more actions.
        faults: what agents report in an attribute ``faults``: how often A, and B, crashed, hanged, or played illegally.
    """

    tables: tuple[tuple[Deal, ...], ...]
    winners: tuple[int | None, ...]
    seconds: float
    latency: tuple[Latency, Latency]
    faults: tuple[Mapping[str, int], Mapping[str, int]]

    def turned(self) -> Outcome:
        """Return what B against A came to, in the protocol ``team``."""
        return Outcome(
            tuple(tuple(_turned(deal) for deal in table) for table in reversed(self.tables)),
            tuple(None if winner is None else 1 - winner for winner in reversed(self.winners)),
            self.seconds,
            self.latency[::-1],
            self.faults[::-1],
        )

    def to_json(self) -> str:
        """Return the outcome as text."""
        latency = [[one.seconds, sorted(one.buckets.items())] for one in self.latency]
        return json.dumps([self.tables, self.winners, self.seconds, latency, self.faults], separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """Return the outcome written by :meth:`to_json`."""
        tables, winners, seconds, latency, faults = json.loads(text)
        a, b = (Latency(total) for total, _ in latency)
        for one, (_, buckets) in zip((a, b), latency, strict=True):
            one.buckets.update(dict(buckets))
        deals = tuple(tuple(Deal(tuple(d[0]), tuple(d[1]), *d[2:]) for d in table) for table in tables)
        return cls(deals, tuple(winners), seconds, (a, b), tuple(faults))


def _turned(deal: Deal) -> Deal:
    return deal._replace(
        scores=deal.scores[::-1],
        declarations=deal.declarations[::-1],
        taker=None if deal.taker is None else 1 - deal.taker,
    )


def play_deal(
    rules: Rules,
    state: np.ndarray,
    agents: list[Agent],
    clocks: list[Latency] | None = None,
    actions: list[int] | None = None,
) -> Play[dict[str, Any]]:
    """Play the deal of ``state`` to its end, ``agents[seat]`` acting for each seat, and return its score sheet.

    Args:
        rules: the rule set.
        state: as ``Game.state``; it is played on.
        agents: one for each seat.
        clocks: one for each seat, that count how long decisions between two or more actions take.
        actions: takes the actions, in their order.

    Raises:
        IllegalActionError: if an agent returns an action that is not legal.
    """
    # What Game does too, but the legal actions are listed once an action: an evaluation spends its time here.
    vector = rules.vector
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    while state[PHASE] != OVER:
        seat = int(state[SEAT])
        legal = ids[: kernel.legal_actions(state, vector, ids)].tolist()
        action, nanoseconds = yield Request(agents[seat], View(rules, state, seat, legal.copy()))
        if clocks is not None and len(legal) > 1:
            clocks[seat].add(nanoseconds)
        if not isinstance(action, int | np.integer) or action not in legal:
            expected = ", ".join(ACTIONS[i] for i in legal)
            raise IllegalActionError(f"seat {seat} returned {action!r}, expected the id of one of {expected}")
        kernel.step(state, vector, int(action))
        if actions is not None:
            actions.append(int(action))
    return score_sheet(rules, state)


def start_of(pairing: Pairing, number: int) -> np.ndarray:
    """Return the state in which a number begins: cards and dealer follow from the rules, the seed and the number."""
    cards = np.random.default_rng(np.random.SeedSequence(pairing.seed, spawn_key=(number,)))
    return Game(pairing.rules, seed=cards).state


def seat_agents(pairing: Pairing, number: int, table: int, deal: int) -> list[Agent]:
    """Return new agents for the four seats of a table, for one of its deals."""
    return [
        make(pairing.players[who], pairing.rules, pairing.seed_of(number, table, seat, deal))
        for seat, who in enumerate(SEATINGS[pairing.protocol][table])
    ]


def play(pairing: Pairing, number: int) -> Play[Outcome]:
    """Play one number of a pairing, a duplicate deal or match, which depends on nothing but the arguments.

    Who has the answers given knows how long it takes: ``seconds`` of the outcome is 0.

    Raises:
        IllegalActionError: if an agent returns an action that is not legal.
    """
    start = start_of(pairing, number)
    tables, winners = [], []
    latency = [Latency() for _ in pairing.players]
    faults: list[Counter[str]] = [Counter() for _ in pairing.players]
    for table, seating in enumerate(SEATINGS[pairing.protocol]):
        side = seating.index(0) & 1
        clocks = [latency[who] for who in seating]
        state, deals = start.copy(), []
        for deal in itertools.count():
            if deal:
                kernel.next_deal(state, pairing.rules.vector)
            seated = seat_agents(pairing, number, table, deal)
            try:
                sheet = yield from play_deal(pairing.rules, state, seated, clocks)
            except IllegalActionError as error:
                names = ", ".join(pairing.players[who] for who in seating)
                raise IllegalActionError(f"{pairing.unit} {number}, table {table} ({names}): {error}") from None
            deals.append(_deal(sheet, side))
            for who, agent in zip(seating, seated, strict=True):
                faults[who].update(getattr(agent, "faults", {}))
            if not pairing.match or sheet["winner"] is not None:
                break
        tables.append(tuple(deals))
        if pairing.match:
            winners.append(None if sheet["winner"] == "draw" else sheet["winner"] ^ side)
    return Outcome(tuple(tables), tuple(winners), 0.0, (latency[0], latency[1]), (faults[0], faults[1]))


def _deal(sheet: dict[str, Any], side: int) -> Deal:
    """Return a score sheet as the statistics need it; A's side is ``side``."""
    scores, declarations = ((sheet[key][side], sheet[key][1 - side]) for key in ("scores", "declarations"))
    contract = sheet["contract"]
    if contract is None:
        return Deal(scores, declarations)
    return Deal(
        scores,
        declarations,
        taker=(contract["seat"] ^ side) & 1,
        value="" if contract["value"] is None else str(contract["value"]),
        denomination=contract["denomination"],
        doubled=contract["doubled"],
        made=sheet["made"],
    )
