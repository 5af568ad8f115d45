"""What `belote bench` measures: every part of a step, medians, peers that are not there."""

from __future__ import annotations

import functools
import itertools
from types import SimpleNamespace

import pytest

from belote_cli import main
from belote_env import benchmark, peers
from belote_env.engine.parts import PARTS


def test_rate_is_the_median_of_slices(monkeypatch):
    # A clock of which every tenth look takes ten times as long.
    ticks = itertools.accumulate(1.0 if i % 10 else 10.0 for i in itertools.count(1))
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    assert benchmark.rate(lambda: 3, 15.0) == pytest.approx(3.0)


def test_profile_names_every_part():
    rows = benchmark.profile("belote", rounds=3)
    assert [row["name"] for row in rows] == ["act", *PARTS[1:], "whole step, 1,024 games", "whole step, 8,192 games"]
    found = {row["name"]: row["value"] for row in rows}
    assert found["observation"] > 0 and found["whole step, 8,192 games"] > 0


def test_a_peer_that_is_missing_or_fails_is_reported(monkeypatch):
    def missing():
        raise ImportError("no such library")

    def failing():
        raise RuntimeError("broken")

    monkeypatch.setattr(peers, "PEERS", {"one": missing, "two": failing, "three": lambda: lambda: 1})
    said: list[str] = []
    rows = peers.measure_peers(0.01, said.append)
    assert [row["name"] for row in rows] == ["three"]
    assert said == ["one: not installed (no such library)", "two: failed (broken)"]


def test_what_cannot_be_written_is_told_before_anything_is_measured(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(benchmark, "engine", lambda *arguments: pytest.fail("measured"))
    (tmp_path / "link.png").symlink_to(tmp_path / "no" / "such.png")
    for option in ("--json", "--plot"):
        for path in (tmp_path / "no" / "such.png", tmp_path / "link.png", tmp_path, ""):
            assert main(["bench", option, str(path)]) == 2
            error = f"belote: {option} {path}: expected a file in a folder that can be written to\n"
            assert capsys.readouterr().err == error
    assert main(["bench", "--plot", str(tmp_path / "plot.pdf")]) == 2
    assert "plot.pdf: expected a name that ends in .png" in capsys.readouterr().err


def test_training_is_measured(monkeypatch):
    pytest.importorskip("torch")
    from training import throughput as of_training

    for module in (of_training.distill, of_training.ppo):
        monkeypatch.setattr(module, "Config", functools.partial(_small, module.Config))
    rows = list(of_training.benchmark_training("belote", 1))
    assert [row["name"] for row in rows] == ["distillation, 1 process", "self-play, 1 process"]
    assert all(row["value"] > 1 for row in rows)


def _small(config, **values):
    return config(**{**values, "tables": 8, "steps": 4, "minibatches": 1})
