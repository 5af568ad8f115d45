"""Playing on Ray: the same results as here, and errors as here. Only where Ray is installed."""

from __future__ import annotations

import pytest

from belote_cli import main
from belote_env import Rules
from belote_env.errors import IllegalActionError
from training.arena import compare

ray = pytest.importorskip("ray")
COINCHE = Rules.preset("coinche")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    yield
    ray.shutdown()


def test_two_workers_on_ray():
    here = compare(("easy", "random"), COINCHE, 40, 3)
    there = compare(("easy", "random"), COINCHE, 40, 3, ray="", workers=2)
    assert int(ray.cluster_resources()["CPU"]) == 2
    assert there.differences == here.differences
    assert [side.contracts for side in there.sides] == [side.contracts for side in here.sides]


def test_stopping_early():
    sure = compare(("easy", "random"), COINCHE, 500, 3, ray="", workers=2, until_sure=0.99)
    assert sure.sure and sure.deals == compare(("easy", "random"), COINCHE, 500, 3, until_sure=0.99).deals


def test_errors_are_those_of_the_game():
    with pytest.raises(IllegalActionError, match=r"^deal 0, table 0 .*returned 173"):
        compare(("test_arena:Cheat", "easy"), COINCHE, 5, ray="", workers=2)


def test_command(capsys):
    assert main(["eval", "easy", "random", "--deals", "10", "--ray", "--workers", "2"]) == 0
    assert "easy" in capsys.readouterr().out
