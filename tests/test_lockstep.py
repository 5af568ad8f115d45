"""Plays in lockstep: nothing but time changes when decisions are made together."""

from __future__ import annotations

import pytest

from belote_env import Rules
from belote_env.errors import IllegalActionError
from training import lockstep
from training.arena import compare
from training.comparison import Comparison
from training.duplicate import Pairing
from training.lockstep import bundles, play_together

COINCHE = Rules.preset("coinche")
ALONE = "test_lockstep:Alone"


def chosen(view):
    """Some action that depends on all that a seat knows."""
    return view.legal[int(view.observation.sum(dtype=int) * 7919 % 101) % len(view.legal)]


class Alone:
    """Decides for itself."""

    def __init__(self, rules, seed):
        pass

    def act(self, view):
        return chosen(view)


class Together:
    """Decides the same, for many at once; counts how many."""

    def __init__(self):
        self.asked = []

    def choose(self, views):
        self.asked.append(len(views))
        assert all(len(view.legal) > 1 for view in views)
        return [chosen(view) for view in views]


MINDS = {"first": Together(), "second": Together()}


class OfOneMind:
    def __init__(self, mind):
        self.mind = mind

    def act(self, view):
        raise AssertionError("asked alone")


def first(rules, seed):
    return OfOneMind(MINDS["first"])


def second(rules, seed):
    return OfOneMind(MINDS["second"])


class Cheat:
    def choose(self, views):
        return [173] * len(views)


def cheat(rules, seed):
    return OfOneMind(Cheat())


FIRST, SECOND = "test_lockstep:first", "test_lockstep:second"


@pytest.fixture(autouse=True)
def forgotten():
    for mind in MINDS.values():
        mind.asked.clear()


@pytest.mark.parametrize("more", [{}, {"match": True}, {"protocol": "table"}])
def test_together_or_alone(more):
    """Against a bot that draws random numbers, which must be the same ones."""
    alone = play_together(Pairing((ALONE, "easy"), COINCHE, 3, **more), range(12))
    asked = Pairing((FIRST, "easy"), COINCHE, 3, **more)
    together = play_together(asked, range(12))
    assert [one.tables for one in together] == [one.tables for one in alone]
    assert [one.winners for one in together] == [one.winners for one in alone]
    decisions = sum(one.latency[0].decisions for one in together)
    assert sum(MINDS["first"].asked) == decisions == sum(one.latency[0].decisions for one in alone)
    assert max(MINDS["first"].asked) == 12
    assert [one.tables for one in reversed(play_together(asked, range(11, -1, -1)))] == [one.tables for one in alone]


def test_two_minds():
    alone = play_together(Pairing((ALONE, ALONE), COINCHE), range(8))
    together = play_together(Pairing((FIRST, SECOND), COINCHE), range(8))
    assert [one.tables for one in together] == [one.tables for one in alone]
    assert MINDS["first"].asked and MINDS["second"].asked
    MINDS["second"].asked.clear()
    play_together(Pairing((FIRST, FIRST), COINCHE), range(8))
    assert not MINDS["second"].asked


def test_halves_have_minds_too():
    alone = play_together(Pairing((f"bid:{ALONE}+play:easy", f"bid:easy+play:{ALONE}"), COINCHE), range(8))
    together = play_together(Pairing((f"bid:{FIRST}+play:easy", f"bid:easy+play:{SECOND}"), COINCHE), range(8))
    assert [one.tables for one in together] == [one.tables for one in alone]
    assert MINDS["first"].asked and MINDS["second"].asked


def test_a_decision_takes_its_share_of_the_time(monkeypatch):
    ticks = iter(range(0, 10**9, 1200))  # nanoseconds, 1200 between two looks at the clock
    monkeypatch.setattr(lockstep.time, "perf_counter_ns", lambda: next(ticks))
    outcomes = play_together(Pairing((FIRST, FIRST), COINCHE), range(6))
    spent = sum(latency.seconds for one in outcomes for latency in one.latency)
    assert spent == pytest.approx(1.2e-6 * len(MINDS["first"].asked), rel=0.01)


def test_bundles(monkeypatch):
    monkeypatch.setattr(lockstep, "TOGETHER", 4)

    def sizes(agent, *arguments):
        return [len(bundle) for bundle in bundles(Pairing((agent, "easy"), COINCHE), range(10), *arguments)]

    assert sizes(ALONE, 1) == [1] * 10
    assert sizes(ALONE, 2, 8) == [8, 2]
    assert sizes(FIRST, 1) == sizes(FIRST, 2) == [4, 4, 2]
    assert sizes(FIRST, 5) == [2] * 5
    assert sizes(f"bid:easy+play:{FIRST}", 1) == [4, 4, 2]
    assert sizes(FIRST, 100, 8) == [8, 2]


def test_one_worker_or_two():
    results = [compare((FIRST, "easy"), COINCHE, 20, 3, workers=workers) for workers in (1, 2)]
    alone = compare((ALONE, "easy"), COINCHE, 20, 3)
    assert results[0].differences == results[1].differences == alone.differences
    assert results[0].sides[0].contracts == results[1].sides[0].contracts == alone.sides[0].contracts


def test_stopping_when_sure():
    """The rest of the bundle was played, and does not count."""
    sure = compare((FIRST, "easy"), COINCHE, 500, 3, until_sure=0.99)
    assert sure.sure and sure.deals == compare((ALONE, "easy"), COINCHE, 500, 3, until_sure=0.99).deals
    assert sure.deals % lockstep.TOGETHER


def test_illegal_actions_are_refused():
    with pytest.raises(IllegalActionError, match=r"^deal 0, table 0 .*seat \d returned 173"):
        compare(("test_lockstep:cheat", "easy"), COINCHE, 5)


def test_time_of_a_number():
    outcomes = play_together(Pairing((FIRST, "easy"), COINCHE), range(5))
    assert len({one.seconds for one in outcomes}) == 1 and outcomes[0].seconds > 0
    assert Comparison(Pairing((FIRST, "easy"), COINCHE)).add_all(outcomes).deals_per_second == pytest.approx(
        1 / outcomes[0].seconds
    )
