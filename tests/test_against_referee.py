"""Random games through the engine and the referee, action by action: same seat, phase, legal actions and result."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from referee import PRESETS, Referee, deal_record, gather, rules_of
from referee_cards import PACK, RANKS, power
from strategies import rules_specs, seeds

from belote_env import Game, Rules

BY_RANK = sorted(PACK, key=lambda card: RANKS.index(card[0]))


def rigged_record(spec: dict[str, Any], rng: random.Random, **match: Any) -> dict[str, Any]:
    """A deal whose hands are often long in one suit, or rich in one rank, so that rare things come about."""
    record = deal_record(spec, rng, **match)
    if rng.random() < 0.5:
        return record
    pack = list(rng.choice([PACK, BY_RANK]))
    for _ in range(rng.randrange(1, 12)):
        i, j = rng.sample(range(32), 2)
        pack[i], pack[j] = pack[j], pack[i]
    size = len(record["hands"][0].split())
    hands = [pack[8 * part : 8 * part + size] for part in rng.sample(range(4), 4)]
    record["hands"] = [" ".join(hand) for hand in hands]
    if size == 5:
        rest = sorted(set(pack).difference(*hands))
        rng.shuffle(rest)
        record["turned"], record["stock"] = rest[0], " ".join(rest[1:])
    return record


class Player:
    """Chooses actions at random, with leanings drawn for each deal: to pass, to sweep the tricks."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.passing = rng.choice([0.3, 0.6, 0.85])
        self.coinching = rng.choice([0.0, 0.2, 0.5])
        self.raising = rng.choice([2, 12, 90])  # how many of the cheapest bids are in question
        self.sweeping = rng.choice([None, None, 0, 1])  # a team that wins what it can from one that ducks

    def choose(self, referee: Referee) -> str:
        legal = referee.legal()
        if referee.phase == "auction":
            return self._call(referee, legal)
        if referee.phase == "play" and self.sweeping is not None:
            return self._card(referee, legal)
        return self.rng.choice(legal)

    def _call(self, referee: Referee, legal: list[str]) -> str:
        double = {"coinche", "surcoinche"}.intersection(legal)
        if double and self.rng.random() < self.coinching:
            return double.pop()
        bids = [text for text in legal if text.startswith(("take", "bid"))]
        if not bids or self.rng.random() < self.passing:
            return "pass"

        def height(bid: str) -> int:
            digits = "".join(filter(str.isdigit, bid))
            return int(digits) if digits else 1000

        suits = "".join(card[1] for card in sorted(referee.hands[referee.seat]))
        longest = max("SHDC", key=suits.count)
        highest = [bid for bid in bids if height(bid) == 1000 and bid.endswith(longest)]
        if highest and referee.seat % 2 == self.sweeping and suits.count(longest) > 4:
            return self.rng.choice(highest)
        return self.rng.choice(sorted(bids, key=height)[: self.raising])

    def _card(self, referee: Referee, legal: list[str]) -> str:
        def strength(text: str) -> int:
            card = text.split()[1]
            led = referee.trick[0][1][1] if referee.trick else card[1]
            return power(card, led, referee.denomination)

        return (max if referee.seat % 2 == self.sweeping else min)(legal, key=strength)


def play_both(game: Game, referee: Referee, rng: random.Random) -> Counter[str]:
    """Play a deal to its end in both; return what came about in it."""
    player = Player(rng)
    pot = referee.pot
    seen = Counter[str]()
    while referee.phase != "over":
        legal = game.legal_actions()
        assert (game.seat, game.phase, sorted(legal)) == (referee.seat, referee.phase, referee.legal())
        assert game.legal_ids() == sorted(game.legal_ids())
        action = player.choose(referee)
        seen[referee.phase] += 1
        game.step(action)
        referee.step(action)
    assert game.deal_over and game.legal_ids() == []
    result = game.result
    assert result == referee.result
    contract = result["contract"]
    seen["played"] += bool(referee.tricks)
    seen["thrown in"] += not referee.tricks
    seen["swept"] += 8 in result["tricks"]
    seen["belote"] += any(result["belote"])
    seen["declarations"] += any(result["declarations"])
    seen["litige"] += bool(contract) and result["made"] is None
    seen["pot paid"] += result["pot"] < pot
    seen["match won"] += result["winner"] is not None
    if contract:
        seen[f"doubled {contract['doubled']}"] += 1
        seen[f"made {contract['value'] if isinstance(contract['value'], str) else ''}"] += result["made"] is True
        seen["failed"] += result["made"] is False
        seen[contract["denomination"]] += 1
    return seen


def play_deals(spec: dict[str, Any], deals: int, seed: str) -> Counter[str]:
    rng = random.Random(seed)
    target = rules_of(spec)["target"]
    seen = Counter[str]()
    for _ in range(deals):
        scores = rng.choice([(0, 0), (target - 1, target - 1), (target - rng.randrange(200), target - 20)])
        record = rigged_record(spec, rng, scores=[max(0, score) for score in scores], pot=rng.choice([0, 0, 81]))
        seen += play_both(Game.from_record(record), Referee(record), rng)
    return seen


def expected(options: dict[str, Any]) -> set[str]:
    """What a few hundred deals of a game must have shown, for the comparison to mean something."""
    names = {"played", "swept", "match won", "play", *(options["denominations"])}
    if options["auction"] == "none":
        return names - set("SHDC")
    names |= {"thrown in", "made ", "failed", "belote", "auction", "doubled 1"}
    if options["declarations"]:
        names.add("declarations")
    if options["auction"] != "turned":
        names |= {"doubled 2", "made capot"}
    if options["surcoinche"] != "none":
        names.add("doubled 4")
    if options["generale_bid"]:
        names.add("made generale")
    if options["announce"] == "choose":
        names |= {"announce", "belote"}
    return names


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_random_deals(preset):
    spec = {"preset": preset, "options": {}}
    seen = play_deals(spec, 500, preset)
    assert expected(rules_of(spec)) - set(+seen) == set()


@pytest.mark.slow
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_random_deals_at_length(preset):
    seen = play_deals({"preset": preset, "options": {}}, 20_000, f"{preset} at length")
    if PRESETS[preset]["litige"] != "none":
        assert seen["litige"] and seen["pot paid"]


@pytest.mark.parametrize("preset", ["belote", "coinche_plus", "contree"])
def test_chosen_announcements(preset):
    spec = {"preset": preset, "options": {"announce": "choose"}}
    assert expected(rules_of(spec)) - set(+play_deals(spec, 400, preset)) == set()


def test_bids_of_tricks_know_no_generale_and_no_surcoinche():
    spec = {"preset": "encheres", "options": {"generale_bid": True, "surcoinche": "both"}}
    assert play_deals(spec, 60, "encheres")["doubled 2"]


@settings(max_examples=250, deadline=None)
@given(rules_specs(), seeds)
def test_random_mixtures(spec, seed):
    play_deals(spec, 3, str(seed))


def pack_of(record: dict[str, Any]) -> list[str]:
    """The pack that a record's cards were dealt from, top card first: the rules, §2, read backwards."""
    hands = [hand.split() for hand in record["hands"]]
    pack = []
    for size in (3, 2) if "turned" in record else (3, 2, 3):
        for turn in range(1, 5):
            hand = hands[(record["dealer"] + turn) % 4]
            pack += hand[:size]
            del hand[:size]
    return pack + ([record["turned"], *record["stock"].split()] if "turned" in record else [])


def gathered(record: dict[str, Any], referee: Referee) -> list[str]:
    if referee.tricks:
        return gather(referee.tricks)
    rest = [record["turned"], *record["stock"].split()] if "turned" in record else []
    return gather(hands=[hand.split() for hand in record["hands"]], rest=rest)


@pytest.mark.parametrize("reshuffle", [True, False])
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_whole_matches(preset, reshuffle):
    rng = random.Random(preset)
    cuts, dealers, thrown_in = set(), set(), 0
    for seed in range(10):
        game = Game(Rules.preset(preset, reshuffle=reshuffle), seed=seed)
        dealers.add(game.dealer)
        scores, pot = [0, 0], 0
        while True:
            record = game.to_record()
            assert (record["scores"], record["pot"], record["actions"]) == (scores, pot, [])
            referee = Referee(record)
            play_both(game, referee, rng)
            if game.winner is not None:
                break
            scores, pot, thrown_in = game.result["totals"], game.result["pot"], thrown_in + (not referee.tricks)
            game.next_deal()
            assert game.dealer == (record["dealer"] + 1) % 4
            if not reshuffle:
                before, after = gathered(record, referee), pack_of(game.to_record())
                cut = before.index(after[0])
                assert after == before[cut:] + before[:cut]
                cuts.add(cut)
        with pytest.raises(ValueError, match="match is over"):
            game.next_deal()
    assert len(dealers) > 1
    assert bool(thrown_in) == (preset != "decouverte")
    if not reshuffle:
        assert len(cuts) > 5 and 0 not in cuts
