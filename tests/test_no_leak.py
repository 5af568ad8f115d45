"""No leak: hidden cards are exchanged in ways that nobody at the table could notice, and no output changes.

What the table knows is worked out by the independent referee, so that the test does not trust the engine's own idea.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from referee import PRESETS, Referee, deal_record
from referee_cards import declaration_key

from belote_env import Game, Rules, belote_v0

VARIANTS = [{"preset": preset, "options": {}} for preset in sorted(PRESETS)] + [
    {"preset": "coinche_plus", "options": {"announce": "choose"}},
    {"preset": "belote", "options": {"announce": "choose", "announce_detail": "kind_top"}},
    {"preset": "contree", "options": {"announce_detail": "kind_top"}},
]


def random_action(referee: Referee, rng: random.Random) -> str:
    legal = referee.legal()
    if referee.phase == "auction" and len(legal) > 2 and rng.random() < 0.6:
        return "pass"
    return rng.choice(legal)


def announced_kinds(referee: Referee, first_cards: dict[int, str]) -> dict[int, list[str]]:
    return {
        seat: sorted(declaration.kind for declaration in referee.declarations[seat])
        for seat in first_cards
        if referee.announced.get(seat)
    }


def announced_tops(referee: Referee, kinds: dict[int, list[str]]) -> dict[tuple[int, str], str]:
    """The rank of the best of a kind that an opponent has announced too (the rules, §5, kind_top)."""
    tops = {}
    for seat, names in kinds.items():
        for kind in set(names):
            if any(kind in kinds.get((seat + turn) % 4, ()) for turn in (1, 3)):
                same = [d for d in referee.declarations[seat] if d.kind == kind]
                best = max(same, key=lambda d: declaration_key(d, referee.denomination, referee.rules))
                tops[seat, kind] = best.cards[-1][0]
    return tops


def shown_cards(referee: Referee, card_counts: list[int]) -> dict[int, Any]:
    """The declarations laid open by now, and who won the contest."""
    if not referee.tricks:
        return {}
    best: list[tuple[int, ...]] = [(), ()]
    for seat in range(4):
        for declaration in referee.declarations[seat] if referee.announced.get(seat) else ():
            best[seat % 2] = max(best[seat % 2], declaration_key(declaration, referee.denomination, referee.rules))
    if best[0] == best[1]:
        return {}
    winner = 0 if best[0] > best[1] else 1
    due = 2 if referee.rules["announce_detail"] == "kind_top" else 1
    return {-1: winner} | {
        seat: sorted(declaration.cards for declaration in referee.declarations[seat])
        for seat in (winner, winner + 2)
        if referee.announced.get(seat) and card_counts[seat] >= due
    }


def public_history(record: dict[str, Any]) -> list[Any] | None:
    """All that the whole table learns from a record, step by step; None if the record breaks a rule."""
    referee = Referee(record)
    history: list[Any] = []
    for action in record["actions"]:
        seat = referee.seat
        if action not in referee.legal():
            return None
        referee.step(action)
        played = [card for _, cards in referee.tricks for card in cards] + [card for _, card in referee.trick]
        counts = [0] * 4
        first_cards: dict[int, str] = {}
        leader = (record["dealer"] + 1) % 4
        for number, card in enumerate(played):
            if number and number % 4 == 0:
                leader = referee.tricks[number // 4 - 1][0]
            by = (leader + number) % 4
            counts[by] += 1
            first_cards.setdefault(by, card)
        kinds = announced_kinds(referee, first_cards)
        detail = referee.rules["announce_detail"] == "kind_top"
        said = sorted(
            (suit, holder)
            for suit, holder in referee.pairs.items()
            if referee.belotes.get(suit) and {"K" + suit, "Q" + suit} & set(played)
        )
        # Silence is told apart from a belote, not from having nothing to say; the step itself is hidden from others.
        word = action if action.startswith(("play", "bid", "take", "pass", "coinche", "surcoinche")) else ""
        # A complete trick stays open while its last player is asked, which the table sees though it is still his turn.
        history.append(
            (seat, word, referee.seat, len(referee.trick), kinds, announced_tops(referee, kinds) if detail else {},
             said, shown_cards(referee, counts), referee.result)
        )  # fmt: skip
    return history


def dealt_to(record: dict[str, Any], seat: int) -> set[str]:
    """Every card that a seat has held by the end of the record."""
    referee = Referee(record)
    held = set(referee.hands[seat])
    for action in record["actions"]:
        referee.step(action)
        held |= referee.hands[seat]
    return held


def exchanged(record: dict[str, Any], one: str, other: str) -> dict[str, Any]:
    names = {one: other, other: one}

    def swap(text: str) -> str:
        return " ".join(names.get(card, card) for card in text.split())

    copy = {**record, "hands": [swap(hand) for hand in record["hands"]]}
    if "stock" in record:
        copy["stock"] = swap(record["stock"])
    return copy


def outputs(record: dict[str, Any], seat: int) -> list[Any]:
    """All that a seat is ever given: view, observation, mask, info, picture in words."""
    env = belote_v0.raw_env(rules=Rules.from_dict(record["rules"]), render_mode="ansi", render_seat=seat)
    env.reset(seed=0)
    env._game = Game.from_record(record, seed=0)
    env._select(env.possible_agents[env.game.seat])
    agent = f"player_{seat}"
    observed = env.observe(agent)
    info = {key: value for key, value in env.infos[agent].items() if key != "action_mask"}
    view = env.game.view(seat)
    return [
        view.state.tobytes(),
        view.legal,
        view.observation.tobytes(),
        observed["observation"].tobytes(),
        observed["action_mask"].tobytes(),
        env.infos[agent]["action_mask"].tobytes(),
        info,
        env.render(),
    ]


def check_one_deal(spec: dict[str, Any], rng: random.Random, swaps: int) -> tuple[int, set[str]]:
    """Exchange hidden cards at random points of a random deal; return how many exchanges nobody could notice."""
    record = deal_record(spec, rng)
    referee = Referee(record)
    phases: set[str] = set()
    tried = 0
    length = rng.randrange(1, 6) if rng.random() < 0.4 else rng.randrange(6, 50)
    while referee.phase != "over" and len(record["actions"]) < length:
        record["actions"].append(random_action(referee, rng))
        referee.step(record["actions"][-1])
        if referee.phase in ("announce", "belote") and rng.random() < 0.5:
            break
    seat = rng.randrange(4)
    mine = dealt_to(record, seat)
    history = public_history(record)
    hidden = [card for card in " ".join([*record["hands"], record.get("stock", "")]).split() if card not in mine]
    for _ in range(swaps):
        other = exchanged(record, *rng.sample(hidden, 2))
        if public_history(other) != history or dealt_to(other, seat) != mine:
            continue
        tried += 1
        phases.add(referee.phase)
        assert outputs(other, seat) == outputs(record, seat)
    return tried, phases


def check_many(spec: dict[str, Any], deals: int, swaps: int, seed: int) -> None:
    rng = random.Random(seed)
    tried = 0
    phases: set[str] = set()
    for _ in range(deals):
        count, seen = check_one_deal(spec, rng, swaps)
        tried += count
        phases |= seen
    assert tried >= deals // 2
    rules = Rules.from_dict(spec)
    expected = {"play"} | ({"auction"} if rules.auction != "none" else set())
    expected |= {"announce", "belote"} if rules.announce == "choose" else set()
    assert expected <= phases


@pytest.mark.parametrize("spec", VARIANTS, ids=lambda spec: f"{spec['preset']}-{len(spec['options'])}")
def test_hidden_cards_change_nothing(spec):
    check_many(spec, deals=160 if "announce" in spec["options"] else 50, swaps=6, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("spec", VARIANTS, ids=lambda spec: f"{spec['preset']}-{len(spec['options'])}")
def test_hidden_cards_change_nothing_in_many_deals(spec):
    check_many(spec, deals=2000, swaps=10, seed=2)


def test_own_cards_change_something():
    """The test above can fail: what it compares does depend on the cards that are not hidden."""
    rng = random.Random(3)
    record = deal_record({"preset": "belote", "options": {}}, rng)
    mine, theirs = record["hands"][0].split()[0], record["hands"][1].split()[0]
    changed = zip(outputs(record, 0), outputs(exchanged(record, mine, theirs), 0), strict=True)
    assert [a != b for a, b in changed][2:4] == [True, True]


def test_full_state_differs_where_the_view_does_not():
    rng = random.Random(4)
    record = deal_record({"preset": "coinche", "options": {}}, rng)
    other = exchanged(record, record["hands"][1].split()[0], record["hands"][2].split()[0])
    one, two = Game.from_record(record, seed=0), Game.from_record(other, seed=0)
    assert not np.array_equal(one.state, two.state)
    assert np.array_equal(one.view(0).state, two.view(0).state)
