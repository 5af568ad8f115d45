"""Exported policies decide as the networks that they come from."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
pytest.importorskip("torch")

from decisions import small_network, some_views

from agents import checkpoint
from agents.identity import identity
from agents.onnx_agent import FORMAT
from agents.registry import make
from belote_cli import main
from belote_env import Rules

GAMES = [Rules.preset("belote"), Rules.preset("coinche_plus")]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The folder of a policy, and the file that the command made of it."""
    folder = tmp_path_factory.mktemp("onnx")
    checkpoint.save(folder, small_network(), GAMES)
    path = folder / "policy.onnx"
    assert main(["export", str(folder), str(path)]) == 0
    return folder, path


def test_same_decisions(exported):
    folder, path = exported
    for rules in GAMES:
        views = some_views(rules, 150)
        net, onnx = (make(spec, rules, 0).mind for spec in (f"net:{folder}", f"onnx:{path}"))
        np.testing.assert_allclose(net.logits(views), onnx.logits(views), atol=1e-4)
        assert net.choose(views) == onnx.choose(views)
        assert [make(f"onnx:{path}", rules, 0).act(view) for view in views[:20]] == onnx.choose(views)[:20]
    assert make(f"onnx:{path}", GAMES[0], 0).mind is onnx  # one session for all


def test_the_command_says_how_it_plays(exported, capsys):
    _, path = exported
    assert main(["eval", f"onnx:{path}", "random", "--deals", "4", "--workers", "1"]) == 0
    assert identity(f"onnx:{path}", GAMES[0]).startswith(f"onnx:{path}@")


def test_mistakes(exported, tmp_path, capsys):
    folder, path = exported

    def fails(*argv):
        assert main([*map(str, argv)]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.startswith("belote: ") and captured.err.count("\n") == 1
        return captured.err

    other = tmp_path / "other.onnx"

    def refused(data, rules="belote"):
        other.write_bytes(data)
        return fails("eval", f"onnx:{other}", "random", "--deals", "2", "--rules", rules)

    data = path.read_bytes()
    assert "was trained for belote, coinche_plus, and does not play contree" in refused(data, "contree")
    assert "cannot be run" in refused(data[: len(data) // 2])
    assert "is not a policy that belote export wrote" in refused(data.replace(FORMAT.encode(), b"x" * len(FORMAT)))
    layout = checkpoint.observation_layout().encode()
    assert "made for another version of the observation" in refused(data.replace(layout, b"0" * len(layout)))
    assert "No such file" in fails("eval", f"onnx:{tmp_path / 'nothing'}", "random", "--deals", "2")
    assert "there is no checkpoint" in fails("export", tmp_path / "nothing", other)
    assert "expected a file in a folder" in fails("export", folder, tmp_path / "no" / "x.onnx")
