"""Intervals, ratings and the rule for stopping: against known values, and against what they promise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from belote_env import Rules
from training.arena import compare
from training.comparison import Comparison
from training.duplicate import Pairing
from training.intervals import bootstrap, wilson
from training.latency import Latency
from training.rating import ratings
from training.sequential import LEAST, half_width

COINCHE = Rules.preset("coinche")


def test_wilson_against_known_values():
    # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
    for successes, trials, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        assert wilson(successes, trials) == pytest.approx((low, high), abs=6e-5)
    assert wilson(0, 0) == (0, 1)


def test_bootstrap_agrees_with_the_normal_interval():
    result = compare(("easy", "random"), COINCHE, 200, 1)
    assert result.bootstrap95 == pytest.approx(result.ci95, abs=0.2 * result.half_width)
    assert bootstrap({5: 3}) == (5, 5)
    assert bootstrap({1: 10, 0: 90}) == bootstrap({0: 90, 1: 10})


def test_latency():
    rng = np.random.default_rng(1)
    times = np.exp(rng.normal(12, 2, 5000)).astype(int)
    whole, parts = Latency(), (Latency(), Latency())
    for i, time in enumerate(times.tolist()):
        whole.add(time)
        parts[i % 2].add(time)
    parts[0].merge(parts[1])
    assert parts[0].buckets == whole.buckets and parts[0].decisions == 5000
    found = whole.percentiles((0.5, 0.9, 0.99))
    assert found == pytest.approx(np.quantile(times, (0.5, 0.9, 0.99)) * 1e-9, rel=0.06)
    assert whole.per_second == pytest.approx(5000 / (times.sum() * 1e-9))
    assert Latency().percentiles((0.5,)) == [0.0] and Latency().per_second == 0


def paired(a, b, wins, draws, losses):
    return Comparison(Pairing((a, b), COINCHE), differences=Counter({1: wins, 0: draws, -2: losses}))


def test_ratings():
    pytest.importorskip("choix")
    results = [paired("easy", "random", 909, 0, 91), paired("normal", "easy", 700, 200, 100)]
    normal, easy, random = ratings(results)
    assert (normal.agent, easy.agent, random.agent) == ("normal", "easy", "random")
    # Ten wins to one are 400 points, four to one (0.8 and 0.2) 241; the half win added on both sides shifts them a bit.
    assert easy.elo - random.elo == pytest.approx(400, abs=2)
    assert normal.elo - easy.elo == pytest.approx(240.8, abs=2)
    assert normal.elo + easy.elo + random.elo == pytest.approx(3000)
    assert easy.ci95[0] < easy.elo < easy.ci95[1] and (normal.games, easy.games, random.games) == (1000, 2000, 1000)
    assert ratings(results) == [normal, easy, random]
    best, worst = ratings([paired("easy", "random", 50, 0, 0)])
    assert np.isfinite(best.elo) and best.elo > worst.elo + 400


@pytest.mark.slow
def test_rating_intervals_hold_the_truth():
    pytest.importorskip("choix")
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(60):
        wins = rng.binomial(300, 0.64)  # 100 points
        best = next(r for r in ratings([paired("normal", "easy", wins, 0, 300 - wins)], 200) if r.agent == "normal")
        held += best.ci95[0] <= 1050 <= best.ci95[1]
    assert held >= 52


def test_stopping_when_sure():
    stopped = compare(("easy", "random"), COINCHE, 500, 1, until_sure=0.99)
    assert stopped.sure and stopped.deals == LEAST and stopped.always_valid[0] > 0
    assert compare(("easy", "random"), COINCHE, 500, 1, until_sure=0.99, workers=2).differences == stopped.differences
    equal = compare(("easy", "easy"), COINCHE, 60, 1, until_sure=0.99)
    assert not equal.sure and equal.deals == 60
    low, high = equal.always_valid
    assert low < equal.ci95[0] < equal.ci95[1] < high
    with pytest.raises(ValueError, match=r"until_sure is 1\.5"):
        compare(("easy", "easy"), COINCHE, 60, until_sure=1.5)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_looking_after_every_deal_seldom_misleads(alpha):
    """Differences of self-play, drawn again in 2,000 runs of 4,000 deals, each looked at after every deal."""
    seen = compare(("easy", "easy"), COINCHE, 1000, 3).differences
    values = np.array([sign * value for value, count in seen.items() for sign in (1, -1) for _ in range(count)])
    rng = np.random.default_rng(4)
    deals = np.arange(1, 4001)
    unit = np.array([half_width(n, 1.0, alpha) for n in deals])
    misled, misled_by_normal = 0, 0
    for _ in range(2000):
        x = rng.choice(values, len(deals)).astype(float)
        mean = x.cumsum() / deals
        deviation = np.sqrt(np.maximum((x**2).cumsum() / deals - mean**2, 0) * deals / np.maximum(deals - 1, 1))
        misled += (np.abs(mean) > deviation * unit)[LEAST - 1 :].any()
        misled_by_normal += (np.abs(mean) > 1.96 * deviation / np.sqrt(deals))[LEAST - 1 :].any()
    assert misled / 2000 <= alpha + 3 * np.sqrt(alpha / 2000)
    assert misled_by_normal / 2000 > 0.3  # why the rule is needed


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["belote", "coinche"])
def test_self_play_intervals_hold_zero(preset):
    """In about 95% of 200 small runs: 190 ± 9.2 is three standard deviations."""
    held = 0
    for seed in range(200):
        low, high = compare(("easy", "easy"), Rules.preset(preset), 40, seed).ci95
        held += low <= 0 <= high
    assert 180 <= held <= 199
