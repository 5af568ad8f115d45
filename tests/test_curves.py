"""`belote curves`: what a picture shows, and the user's mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("torch")

from belote_cli import main
from training.curves import draw, read_curves


@pytest.fixture
def run(tmp_path):
    def write(name: str, rounds: int = 4, **more: float):
        folder = tmp_path / name
        folder.mkdir()
        lines = []
        for number in range(rounds):
            line = {"step": 1000 * number, "seconds": 1800.0 * number, "loss/value": 1 / (number + 1), **more}
            if number % 2 == 0:  # not every round is evaluated
                line |= {"points/belote/easy": 10.0 * number}
                line |= {"points/belote/easy/low": 10.0 * number - 5, "points/belote/easy/high": 10.0 * number + 7}
            lines.append(json.dumps(line))
        (folder / "progress.jsonl").write_text("\n".join(lines) + '\n{"step": 9, "sec')  # cut short by a kill
        return folder

    return write


def titles(figure):
    return [axes.get_title() for axes in figure.axes if axes.get_title()]


def test_curves_of_a_run(run):
    curves = read_curves(run("one"))
    assert list(curves) == ["loss/value", "points/belote/easy"]
    points = curves["points/belote/easy"]
    assert points.decisions.tolist() == [0, 2000] and points.hours.tolist() == [0.0, 1.0]
    assert points.values.tolist() == [0.0, 20.0]
    assert points.interval.tolist() == [[-5.0, 15.0], [7.0, 27.0]]
    assert curves["loss/value"].interval is None and len(curves["loss/value"].values) == 4


def test_runs_on_top_of_each_other(run):
    figure = draw([run("one"), run("two", **{"loss/policy": 0.5})])
    assert titles(figure) == ["belote: points a deal against easy", "loss/value", "loss/policy"]
    points, value, policy = figure.axes
    assert len(points.collections) == 2  # a band each
    assert [text.get_text() for text in points.texts] == ["easy"]
    assert any(np.array_equal(line.get_ydata(), [0, 0]) for line in points.lines)  # the level
    assert len(value.lines) == 2 and len(policy.lines) == 1
    assert policy.lines[0].get_color() == value.lines[1].get_color()  # a run keeps its colour
    assert [text.get_text().rpartition("/")[2] for text in figure.legends[0].texts] == ["one", "two"]


def test_hours_and_patterns(run):
    figure = draw([run("one")], ["points/*/easy"], hours=True)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "hours" and axes.lines[0].get_xdata().tolist() == [0.0, 1.0]
    assert not figure.legends


def test_noisy_curves_get_a_mean(run):
    (axes,) = draw([run("long", rounds=100)], ["loss/*"]).axes
    raw, mean = (line.get_ydata() for line in axes.lines)
    assert mean[50] == pytest.approx(raw[48:53].mean()) and mean[0] == pytest.approx(raw[:3].mean())


def test_command(run, tmp_path, capsys):
    out = tmp_path / "picture.png"
    assert main(["curves", str(run("one")), "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert out.read_bytes().startswith(b"\x89PNG")


def test_mistakes(run, tmp_path, capsys):
    def fails(*argv):
        assert main(["curves", *map(str, argv)]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.startswith("belote: ") and captured.err.count("\n") == 1
        return captured.err

    one, out = run("one"), ("--out", tmp_path / "x.png")
    assert "holds no run: there is no progress.jsonl in it" in fails(tmp_path, *out)
    assert "has logged nothing yet" in fails(run("young", rounds=0), *out)
    assert "no figure matches nothing/*: there are loss/value" in fails(one, "--figures", "nothing/*", *out)
    assert "expected a file in a folder that can be written to" in fails(one, "--out", tmp_path / "no" / "x.png")
    assert not (tmp_path / "x.png").exists()
