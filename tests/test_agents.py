"""Agents: legal and repeatable in every rule set, named in the registry, and Easy better than Random."""

from __future__ import annotations

import random

import numpy as np
import pytest

from agents import registry
from agents.easy import EasyAgent, best_guess, strength
from agents.identity import identity
from agents.random_agent import RandomAgent
from agents.registry import make, names, register
from belote_env import Game, Rules
from belote_env.actions import ACTIONS
from belote_env.cards import parse_cards
from training.arena import compare

PRESETS = Rules.presets()
AGENTS = ("random", "easy")
CHOOSE = [Rules.preset(p, announce="choose") for p in ("belote", "coinche_plus", "belote_classique")]


@pytest.fixture
def own_names():
    """Forget what a test registers."""
    before = dict(registry._FACTORIES)
    yield
    registry._FACTORIES.clear()
    registry._FACTORIES.update(before)


def play(rules: Rules, agent: str, seed: int, deals: int) -> list[list[str]]:
    """Play deals of a match with an agent a seat; Game refuses what is illegal."""
    game = Game(rules, seed=seed)
    agents = [make(agent, rules, np.random.SeedSequence([seed, 1, seat])) for seat in range(4)]
    history = []
    for _ in range(deals):
        while not game.deal_over:
            view = game.view()
            action = agents[view.seat].act(view)
            assert type(action) is int
            game.step(action)
        history.append(game.actions)
        if game.winner is not None:
            break
        game.next_deal()
    return history


@pytest.mark.parametrize("rules", [*map(Rules.preset, PRESETS), *CHOOSE], ids=str)
@pytest.mark.parametrize("agent", AGENTS)
def test_legal_and_repeatable(agent, rules):
    numpy_state, python_state = np.random.get_state()[1].copy(), random.getstate()
    first = play(rules, agent, 3, 25)
    assert first == play(rules, agent, 3, 25) != play(rules, agent, 4, 25)
    assert (np.random.get_state()[1] == numpy_state).all() and random.getstate() == python_state


def test_seeds():
    view = Game("belote", seed=1).view()
    for agent in (RandomAgent, EasyAgent):
        one, two = agent(5), agent(np.random.default_rng(5))
        assert [one.act(view) for _ in range(50)] == [two.act(view) for _ in range(50)]


def test_random_is_uniform():
    view = Game("coinche", seed=1).view()
    agent = RandomAgent(0)
    counts = np.bincount([agent.act(view) for _ in range(400 * len(view.legal))])[view.legal]
    assert counts.sum() == 400 * len(view.legal)
    # The chi-square statistic has about as many degrees of freedom as there are actions.
    assert ((counts - 400) ** 2 / 400).sum() < 2 * len(view.legal)


def test_easy_says_all_it_has():
    said = set()
    for rules in CHOOSE:
        said |= {action for deal in play(rules, "easy", 1, 30) for action in deal if action in ACTIONS[35:38]}
    assert said == {"announce", "belote"}


def test_easy_knows_a_strong_hand():
    weak, strong = parse_cards("7S 8H QH 7D JD 8C QC KC"), parse_cards("JS 9S AS KS QS AH AD TD")
    for denomination in range(6):
        assert strength(strong, denomination) > strength(weak, denomination)
    assert strength(strong, 0) == max(strength(strong, suit) for suit in range(4)) > 160
    assert strength(weak, 0) < 80
    # King and queen of trumps are worth more together than apart.
    with_pair, apart = (strength(parse_cards(text), 0) for text in ("KS QS 7H", "KS 8S 7H"))
    assert with_pair > apart + 10


def record(trump: str, hands: list[str], actions: list[str]) -> Game:
    return Game.from_record(
        {
            "format": "belote-deal/1",
            "rules": {"preset": "coinche_sans_annonces", "options": {}},
            "dealer": 3,
            "hands": hands,
            "actions": [f"bid 80{trump}", "pass", "pass", "pass", *actions],
        }
    )


HANDS = [
    "JS 9S AH 7H 8H 7D 8D 7C",
    "AS TS TH KH 9H AD 9D 8C",
    "KS QS QH JH KD TD AC KC",
    "8S 7S QD JD TC QC JC 9C",
]


@pytest.mark.parametrize(
    ("plays", "expected", "why"),
    [
        ([], "play JS", "the taker draws trumps"),
        (["AH"], "play 9H", "cannot win: the lowest"),
        (["AH", "9H"], "play QH", "the partner wins with a master: points"),
        (["7D"], "play AD", "the master of the suit wins"),
        (["AH", "9H", "QH"], "play 7S", "ruff with the lowest trump"),
        (["7C", "8C"], "play AC", "third in hand wins"),
        (["7C", "8C", "KC"], "play TC", "last in hand wins the most points that it can"),
    ],
)
def test_best_guess(plays, expected, why):
    game = record("S", HANDS, [f"play {card}" for card in plays])
    assert ACTIONS[best_guess(game.view())] == expected, why


def test_a_defender_leads_an_ace_and_no_trump():
    game = record("S", HANDS, ["play 7H", "play TH", "play JH", "play 9C"])
    assert game.seat == 1
    assert ACTIONS[best_guess(game.view())] == "play AD"


def test_easy_is_careless_at_times():
    view = record("S", HANDS, []).view()
    agent = EasyAgent(0)
    other = sum(agent.act(view) != best_guess(view) for _ in range(2000)) / 2000
    assert 0.2 < other < 0.3  # of the careless cards, one in eight is the best guess all the same


@pytest.mark.parametrize("preset", ["belote", "contree", "encheres", "decouverte"])
def test_easy_beats_random(preset):
    result = compare(("easy", "random"), Rules.preset(preset), 250, 1)
    assert result.ci95 is not None and result.ci95[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_easy_beats_random_everywhere(preset):
    result = compare(("easy", "random"), Rules.preset(preset), 1000, 2)
    assert result.ci95 is not None and result.ci95[0] > 0


def test_easy_coinches_at_times_and_makes_most_contracts():
    result = compare(("easy", "easy"), Rules.preset("coinche_plus"), 150, 3)
    bid, made, doubled = (sum(getattr(side, name) for side in result.sides) for name in ("bid", "made", "doubled"))
    assert bid + result.thrown_in == 300
    assert 0.5 < made / bid < 0.85 and 0.02 < doubled / bid < 0.3


def test_names(own_names):
    assert names()[:2] == AGENTS
    rules = Rules.preset("belote")
    register("mine", lambda rules, seed: RandomAgent(seed))
    assert isinstance(make("mine", rules, 1), RandomAgent)

    @register("seen", takes_argument=True)
    def seen(rules, seed, argument):
        agent = RandomAgent(seed)
        agent.seen = (rules, argument)
        return agent

    assert make("seen:some/path:1", rules).seen == (rules, "some/path:1")
    assert make("seen", rules).seen == (rules, "")
    for taken in ("mine", "easy", "a:b", ""):
        with pytest.raises(ValueError, match="empty, taken or has a colon"):
            register(taken, lambda rules, seed: RandomAgent(seed))


def outside(rules, seed):
    return EasyAgent(seed)


not_a_factory = 5


def makes_nothing(rules, seed):
    return None


def test_agents_from_elsewhere():
    assert isinstance(make("test_agents:outside", Rules.preset("belote"), 1), EasyAgent)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("eazy", "unknown agent 'eazy': did you mean 'easy'\\? choose from random, easy.*or module:object"),
        ("easy:5", "agent 'easy' takes no argument, but got '5'"),
        ("easy:", "takes no argument"),
        ("no_such_module:thing", "unknown agent 'no_such_module:thing'"),
        ("test_agents.deeper:thing", "unknown agent"),
        ("test_agents:", "unknown agent"),
        (":thing", "unknown agent"),
        (".relative:thing", "unknown agent"),
        ("test_agents:nothing", "module test_agents has no nothing"),
        ("test_agents:not_a_factory", "is not a factory"),
        ("test_agents:makes_nothing", "has no act"),
    ],
)
def test_wrong_names(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, Rules.preset("belote"), 1)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that offers four agents, of which one takes a name of ours and one is not there."""
    (tmp_path / "rob_belote.py").write_text(
        "class Rob:\n"
        "    def __init__(self, rules, seed): self.seen = rules, seed\n"
        "    def act(self, view): return view.legal[0]\n"
        "nothing = 5\n"
    )
    package = tmp_path / "rob_belote-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: rob-belote\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[belote.agents]\nrob = rob_belote:Rob\neasy = rob_belote:Rob\n"
        "wrong = rob_belote:nothing\ngone = rob_belote:Gone\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._offered.cache_clear()
    yield tmp_path
    registry._offered.cache_clear()


def test_agents_of_installed_packages(installed):
    rules = Rules.preset("belote")
    assert make("rob", rules, 3).seen == (rules, 3)
    assert isinstance(make("easy", rules), EasyAgent)
    assert make("bid:rob+play:easy", rules).parts == ("rob", "easy")
    assert compare(("rob", "easy"), rules, 2).sides[0].bid == 0
    before = identity("rob", rules)
    with open(installed / "rob_belote.py", "a") as source:
        source.write("# changed\n")
    assert identity("rob", rules) != before
    for spec, message in (
        ("rib", "unknown agent 'rib': did you mean 'rob'"),
        ("wrong", "agent 'wrong' is not a factory"),
        ("gone", "agent 'gone': its factory .* failed: AttributeError"),
        ("rob:2", "unknown agent 'rob:2'"),
    ):
        with pytest.raises(ValueError, match=message):
            make(spec, rules)


def test_a_module_that_lacks_something_says_what(tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text("import no_such_dependency\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match=r"ModuleNotFoundError.*no_such_dependency"):
        make("broken_agent:thing", Rules.preset("belote"), 1)


def test_whatever_a_factory_raises_is_one_line():
    with pytest.raises(ValueError, match=r"agent 'os:getcwd': its factory .* failed: TypeError"):
        make("os:getcwd", Rules.preset("belote"), 1)
