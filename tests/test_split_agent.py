"""One agent bids, another plays, a third the last cards."""

from __future__ import annotations

import pytest

from agents.registry import make
from agents.split_agent import SplitAgent
from belote_env import Game, Rules
from training.arena import compare

COINCHE = Rules.preset("coinche")


class Answers:
    def __init__(self, answer, faults=None):
        self.answer, self.faults = answer, faults or {}

    def act(self, view):
        return self.answer


def test_who_acts_when():
    three = [Answers("a bid", {"crash": 2}), Answers("a card", {"crash": 1, "illegal": 3}), Answers("a late card")]
    two_of_them, all_of_them = SplitAgent(three[:2], ("x", "y")), SplitAgent(three, ("x", "y", "z"))
    for agent, late in ((two_of_them, "a card"), (all_of_them, "a late card")):
        game = Game(COINCHE, seed=3)
        said = {}
        while not game.deal_over:
            stage = game.phase if game.phase == "auction" else len(game.view().hand) <= 5
            said.setdefault(stage, set()).add(agent.act(game.view()))
            game.step(game.legal_ids()[-1] if game.phase != "auction" or game.contract is None else "pass")
        assert said == {"auction": {"a bid"}, False: {"a card"}, True: {late}}
        assert agent.faults == {"crash": 3, "illegal": 3}


def test_the_halves_of_one_agent_are_that_agent():
    halves = "bid:test_arena:Highest+play:test_arena:Lowest"
    whole = compare((halves, halves), COINCHE, 10)
    assert whole.mean_difference == 0 and whole.sides[0].contracts == whole.sides[1].contracts
    same = compare(("bid:test_arena:Lowest+play:test_arena:Lowest", "test_arena:Highest"), COINCHE, 10)
    assert same.differences == compare(("test_arena:Lowest", "test_arena:Highest"), COINCHE, 10).differences


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bid", "write bid:X"),
        ("bid:easy", "write bid:X"),
        ("bid:easy+play:", "unknown agent ''"),
        ("bid:eazy+play:easy", "unknown agent 'eazy'"),
        ("bid:easy+play:easy+end:", "unknown agent ''"),
    ],
)
def test_mistakes(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, COINCHE)
