"""The slow referee: the four-player games of the rules, written with sets, lists and strings of cards ("JH").

It shares no code with the engine. Random games are played through both, and both must agree action by action; the
vectors beside it are replayed through it alone. "The rules" are the project's page of rules, whose sections are named.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from referee_cards import (
    PACK,
    SUITS,
    Declaration,
    card_value,
    deal_pack,
    declaration_key,
    declarations_of,
    gather,
    playable,
    power,
)
from referee_rules import PRESETS, rules_of, senseless

__all__ = ["PRESETS", "Referee", "deal_record", "gather", "rules_of", "senseless", "trace"]

BID_WORTH = {"capot": 250, "generale": 500}


def deal_record(
    rules: Mapping[str, Any], rng: random.Random, scores: Sequence[int] = (0, 0), pot: int = 0
) -> dict[str, Any]:
    """A fresh random deal as a record without actions; `rules` is {"preset": name, "options": {...}}."""
    options = rules_of(rules)
    dealer = rng.randrange(4)
    record = {"format": "belote-deal/1", "rules": dict(rules), "dealer": dealer}
    record |= deal_pack(rng.sample(PACK, 32), dealer, options["deal"])
    if options["deal"] == "random_trump":
        record["trump"] = rng.choice(SUITS)
    return record | {"scores": list(scores), "pot": pot, "actions": []}


class Referee:
    """One deal, from a record's cards to its result; `step` takes the action texts of the rules, §10."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.rules = rules_of(record["rules"])
        self.dealer: int = record["dealer"]
        self.hands: list[set[str]] = [set(hand.split()) for hand in record["hands"]]
        self.turned: str | None = record.get("turned")
        self.stock: list[str] = record.get("stock", "").split()
        self.before: list[int] = list(record.get("scores", (0, 0)))
        self.pot: int = record.get("pot", 0)

        self.seat = (self.dealer + 1) % 4
        self.phase = "auction"
        self.contract: dict[str, Any] | None = None
        self.passes = 0  # in a row
        self.answering: list[int] = []  # the seats that may still surcoinche
        self.denomination = ""
        self.declarations: list[list[Declaration]] = [[], [], [], []]
        self.announced: dict[int, bool] = {}  # who declares, or keeps silent
        self.pairs: dict[str, int] = {}  # suit of a belote -> the seat that holds it
        self.belotes: dict[str, bool] = {}  # suit of a belote -> announced, or kept silent
        self.trick: list[tuple[int, str]] = []
        self.tricks: list[tuple[int, list[str]]] = []  # (winner, cards in the order played)
        self.result: dict[str, Any] | None = None
        if self.rules["auction"] == "none":
            self._start_play(record["trump"])

    def legal(self) -> list[str]:
        """The texts of the actions open to the seat to act, sorted; none when the deal is over."""
        if self.phase == "auction":
            return sorted(self._calls())
        if self.phase in ("announce", "belote"):
            return sorted(["announce" if self.phase == "announce" else "belote", "silent"])
        if self.phase == "play":
            cards = playable(self.hands[self.seat], self.seat, self.trick, self.denomination, self.rules)
            return sorted(f"play {card}" for card in cards)
        return []

    def step(self, text: str) -> None:
        """Carry out one action of the seat to act; ValueError when it is not legal."""
        if text not in self.legal():
            raise ValueError(f"seat {self.seat} may not {text!r}; legal: {', '.join(self.legal())}")
        if self.phase == "auction":
            self._call(text)
        elif self.phase == "announce":
            self.announced[self.seat] = text == "announce"
            self.phase = "play"
        elif self.phase == "play":
            self._play(text.split()[1])
        else:
            self.belotes[self.trick[-1][1][1]] = text == "belote"
            self._next_card()

    # The auction: the rules, §3.

    def _calls(self) -> list[str]:
        if self.rules["auction"] == "turned":
            up = self.turned[1]
            return ["pass"] + [f"take {s}" for s in SUITS if (s == up) == (self.passes < 4)]
        if self.answering:
            return ["pass", "surcoinche"]
        values: list[int | str] = list(range(1, 10))
        if self.rules["auction"] == "points":
            values = list(range(80, self.rules["max_bid"] + 1, 10))
        if self.rules["capot_bid"]:
            values.append("capot")
        if self.rules["generale_bid"] and self.rules["auction"] == "points":
            values.append("generale")
        calls = ["pass"]
        if self.contract:
            values = values[values.index(self.contract["value"]) + 1 :]
            if self.contract["seat"] % 2 != self.seat % 2:
                calls.append("coinche")
        return calls + [f"bid {value}{d}" for value in values for d in self.rules["denominations"]]

    def _call(self, text: str) -> None:
        word, _, what = text.partition(" ")
        if word == "take":
            self._contract(None, what)
            self._complete_hands()
            self._start_play(what)
        elif word == "bid":
            value, denomination = re.fullmatch(r"(\d+|capot|generale)([SHDC]|NT|AT)", what).groups()
            self._contract(int(value) if value.isdigit() else value, denomination)
            self.passes = 0
            self.seat = (self.seat + 1) % 4
        elif word == "coinche":
            self.contract["doubled"] = 2
            if self.rules["auction"] == "points":
                side = [(self.seat + 1) % 4, (self.seat + 3) % 4]
                bidder = self.contract["seat"]
                self.answering = {"both": side, "bidder": [bidder], "none": []}[self.rules["surcoinche"]]
            self._await_answer()
        elif word == "surcoinche":
            self.contract["doubled"] = 4
            self._start_play(self.contract["denomination"])
        elif self.answering:
            del self.answering[0]
            self._await_answer()
        else:
            self._pass()

    def _contract(self, value: int | str | None, denomination: str) -> None:
        self.contract = {"seat": self.seat, "value": value, "denomination": denomination, "doubled": 1}

    def _await_answer(self) -> None:
        if self.answering:
            self.seat = self.answering[0]
        else:
            self._start_play(self.contract["denomination"])

    def _pass(self) -> None:
        self.passes += 1
        self.seat = (self.seat + 1) % 4
        if self.contract and self.passes == 3:
            self._start_play(self.contract["denomination"])
        elif not self.contract and self.passes == (8 if self.rules["auction"] == "turned" else 4):
            self._over(made=None)

    def _complete_hands(self) -> None:
        """The taker gets the turned card and two more, everyone else three (the rules, §2 and §10)."""
        taker = self.contract["seat"]
        self.hands[taker].add(self.turned)
        stock = list(self.stock)
        for turn in range(1, 5):
            seat = (self.dealer + turn) % 4
            number = 2 if seat == taker else 3
            self.hands[seat].update(stock[:number])
            del stock[:number]

    # The play: the rules, §4 to §6.

    def _start_play(self, denomination: str) -> None:
        self.denomination = denomination
        scoring = self.rules["scoring"]
        if self.rules["declarations"]:
            self.declarations = [declarations_of(hand, denomination, self.rules) for hand in self.hands]
        suits = SUITS if denomination == "AT" and scoring != "encheres" else denomination
        if scoring == "more_tricks" or suits in ("NT", "AT"):
            suits = ""
        self.pairs = {s: seat for s in suits for seat in range(4) if {"K" + s, "Q" + s} <= self.hands[seat]}
        if self.rules["announce"] == "auto":
            self.announced = dict.fromkeys(range(4), True)
            self.belotes = dict.fromkeys(self.pairs, True)
        self._turn_to((self.dealer + 1) % 4)

    def _turn_to(self, seat: int) -> None:
        self.seat = seat
        asked = self.declarations[seat] and seat not in self.announced
        self.phase = "announce" if asked else "play"

    def _play(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        rank, suit = card
        if rank in "KQ" and self.pairs.get(suit) == self.seat and suit not in self.belotes:
            self.phase = "belote"
        else:
            self._next_card()

    def _next_card(self) -> None:
        if len(self.trick) < 4:
            self._turn_to((self.seat + 1) % 4)
            return
        led = self.trick[0][1][1]
        winner, _ = max(self.trick, key=lambda played: power(played[1], led, self.denomination))
        self.tricks.append((winner, [card for _, card in self.trick]))
        self.trick = []
        if len(self.tricks) < 8:
            self._turn_to(winner)
        else:
            self._settle()

    # The score: the rules, §7.

    def _settle(self) -> None:
        taken = [sum(winner % 2 == team for winner, _ in self.tricks) for team in (0, 1)]
        cards, declared, belote = [0, 0], [0, 0], self._belote_points()
        if self.rules["scoring"] not in ("encheres", "more_tricks"):
            cards = self._card_points(taken)
            declared = self._declaration_points(taken)
        points = [cards[team] + declared[team] + belote[team] for team in (0, 1)]
        made = self._made(taken, cards, belote, points)
        scores = self._scores(taken, made, sum(declared), belote, points)
        if self.rules["rounding"] == "ten":
            scores = [(score + 5) // 10 * 10 for score in scores]
        self._over(made, tricks=taken, card_points=cards, declarations=declared, belote=belote, scores=scores)

    def _counted_tricks(self, taken: list[int]) -> list[int]:
        """Tricks with the last one counted double."""
        last = self.tricks[-1][0] % 2
        return [taken[team] + (team == last) for team in (0, 1)]

    def _card_points(self, taken: list[int]) -> list[int]:
        """Card points with the last trick, or capot, after any scaling."""
        if 8 in taken:
            return [self.rules["capot_points"] if number == 8 else 0 for number in taken]
        doubled_nt = self.denomination == "NT" and self.rules["nt_values"] == "doubled"
        full_at = self.denomination == "AT" and self.rules["at_values"] == "full"
        cards = [0, 0]
        for winner, trick in self.tricks:
            cards[winner % 2] += sum(card_value(card, self.denomination, self.rules) for card in trick)
        cards[self.tricks[-1][0] % 2] += 20 if doubled_nt else 10
        if doubled_nt or full_at:
            takers = self.contract["seat"] % 2
            cards[takers] = round(cards[takers] * 162 / (260 if doubled_nt else 258))  # never a half
            cards[1 - takers] = 162 - cards[takers]
        return cards

    def _declaration_points(self, taken: list[int]) -> list[int]:
        """The contest, then what a capot does to it (the rules, §5 and §7, column D)."""
        total, best = [0, 0], [(), ()]
        for seat in range(4):
            if self.announced.get(seat):
                for declaration in self.declarations[seat]:
                    key = declaration_key(declaration, self.denomination, self.rules)
                    total[seat % 2] += declaration.points
                    best[seat % 2] = max(best[seat % 2], key)
        if best[0] == best[1]:
            return [0, 0]
        winner = 0 if best[0] > best[1] else 1
        points = total[winner]
        if taken[winner] == 0 and self.rules["capot_declarations"] == "lost":
            points = 0
        if taken[winner] == 0 and self.rules["capot_declarations"] == "taken":
            winner = 1 - winner
        return [points if team == winner else 0 for team in (0, 1)]

    def _belote_points(self) -> list[int]:
        each = 1 if self.rules["scoring"] == "encheres" else 20
        pairs = [seat % 2 for suit, seat in self.pairs.items() if self.belotes[suit]]
        return [each * pairs.count(team) for team in (0, 1)]

    def _made(self, taken: list[int], cards: list[int], belote: list[int], points: list[int]) -> bool | None:
        """Whether the contract is made; None: a litige, or no contract."""
        if self.contract is None:
            return None
        takers = self.contract["seat"] % 2
        value, made = self.contract["value"], self.rules["made"]
        more = points[takers] > points[1 - takers]
        if value == "generale":
            return all(winner == self.contract["seat"] for winner, _ in self.tricks)
        if value == "capot":
            return taken[takers] == 8
        if made == "tricks":
            return self._counted_tricks(taken)[takers] + belote[takers] >= value
        if self.rules["auction"] == "turned":
            if taken[takers] == 8:
                return True
            if self.rules["litige"] != "none" and points[0] == points[1]:
                return None
            return {"more": more, "at_least": more or points[0] == points[1], "cards_82": cards[takers] >= 82}[made]
        besides = {"bid": True, "bid_and_more": more, "bid_and_82": cards[takers] >= 82}[made]
        return points[takers] >= value and besides

    def _scores(
        self, taken: list[int], made: bool | None, declared: int, belote: list[int], points: list[int]
    ) -> list[int]:
        """Each side's score for the deal before rounding, with any pot received; a litige leaves its pot waiting."""
        if self.rules["scoring"] == "more_tricks":
            counted = self._counted_tricks(taken)
            return [int(counted[0] > counted[1]), int(counted[1] > counted[0])]
        takers = self.contract["seat"] % 2
        if made is None:
            kept = belote[takers] if self.rules["litige_belote"] == "kept" else 0
            self.pot += points[takers] - kept
            return self._by_side(kept, points[1 - takers])
        winner = takers if made else 1 - takers
        scores = self._settled(taken, made, declared, belote, points)
        if self.rules["litige"] == "next_winner" or (self.rules["litige"] == "next_made" and made):
            scores[winner] += self.pot
            self.pot = 0
        return scores

    def _by_side(self, takers_score: int, defenders_score: int) -> list[int]:
        """[team 0's, team 1's] from [takers', defenders']."""
        scores = [takers_score, defenders_score]
        return scores if self.contract["seat"] % 2 == 0 else scores[::-1]

    def _settled(self, taken: list[int], made: bool, declared: int, belote: list[int], points: list[int]) -> list[int]:
        """The columns "made" and "failed" of the rules, §7, and the notes on coinched contracts."""
        scoring, value, times = self.rules["scoring"], self.contract["value"], self.contract["doubled"]
        takers = self.contract["seat"] % 2
        defenders = 1 - takers
        winner = takers if made else defenders
        swept = taken[winner] == 8
        capot_bid = value == "capot"
        own, theirs = points[takers], points[defenders]
        if scoring == "encheres":
            score = 1 + swept + capot_bid + (times > 1)
            return [score if team == winner else 0 for team in (0, 1)]
        if scoring == "each_own":
            if made:
                return self._by_side(own, theirs)
            base = self.rules["capot_points"] if swept and self.rules["failed_capot_defence"] else 162
            return self._by_side(belote[takers], base + declared + belote[defenders])
        bid = BID_WORTH.get(value, value)
        big = swept and (times > 1 or self.rules["failed_capot_defence"])
        if scoring in ("coinche", "contree"):
            if made and times == 1:
                return self._by_side(own + bid, theirs)
            base = 250 if big or (scoring == "contree" and capot_bid) else 160
            scores = list(belote)
            scores[winner] += (base + bid + declared) * times
            return scores
        if not made:
            failed = bid * times if times > 1 else 250 if big else 160
            if scoring == "announced":
                return self._by_side(0, failed)
            return self._by_side(belote[takers], failed + belote[defenders])
        if scoring == "announced":
            return self._by_side(bid * times, 0)
        if scoring == "made" and times > 1:
            return self._by_side(bid * times + belote[takers], belote[defenders])
        if capot_bid:
            own = 350 + belote[takers]
        return self._by_side(own if scoring == "made" else own + bid * times, theirs)

    # The end of the deal, and of the match: the rules, §7 and §10.

    def _over(self, made: bool | None, **counts: list[int]) -> None:
        """Write the result; without `counts` the deal was thrown in."""
        self.phase = "over"
        fields = ("tricks", "card_points", "declarations", "belote", "scores")
        self.result = {"contract": self.contract, "made": made, **{f: counts.get(f, [0, 0]) for f in fields}}
        totals = [self.before[team] + self.result["scores"][team] for team in (0, 1)]
        self.result |= {"pot": self.pot, "totals": totals}
        self.result["winner"] = self._match_winner() if counts else None

    def _reached(self, team: int) -> bool:
        """Whether a side counts as having reached the target (`validate_target`: the rules, end of §7)."""
        total, target, tricks = self.result["totals"][team], self.rules["target"], self.result["tricks"][team]
        if total < target or not self.rules["validate_target"]:
            return total >= target
        if self.before[team] >= target:
            return tricks > 0
        failed = self.result["made"] is False and self.contract["seat"] % 2 == team
        scored_belote = 0 if self.rules["scoring"] in ("announced", "encheres") else self.result["belote"][team]
        return total - scored_belote >= target or not (failed or tricks == 0)

    def _match_winner(self) -> int | str | None:
        """The side that has won the match with this deal, "draw", or None."""
        reached = [self._reached(team) for team in (0, 1)]
        if sum(reached) < 2:
            return reached.index(True) if any(reached) else None
        totals, ending = self.result["totals"], self.rules["match_end"]
        if ending == "draw":
            return "draw"
        if ending == "last_takers" and self.contract:
            return self.contract["seat"] % 2
        if totals[0] != totals[1]:
            return 0 if totals[0] > totals[1] else 1
        made = self.result["made"]
        if ending == "higher_last_winner" and made is not None:
            return self.contract["seat"] % 2 if made else 1 - self.contract["seat"] % 2
        return None


def trace(record: Mapping[str, Any]) -> dict[str, Any]:
    """Replay a record's actions: what `belote replay --trace` prints (the rules, §10)."""
    referee = Referee(record)
    steps = []
    for action in record["actions"]:
        steps.append({"seat": referee.seat, "phase": referee.phase, "legal": referee.legal(), "action": action})
        referee.step(action)
    if referee.result is not None:
        return {"steps": steps, "result": referee.result}
    steps.append({"seat": referee.seat, "phase": referee.phase, "legal": referee.legal(), "action": None})
    return {"steps": steps}
