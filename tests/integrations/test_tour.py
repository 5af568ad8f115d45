"""The notebook of docs runs from top to bottom, and its policy learns to beat Random."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("torch")

pytestmark = pytest.mark.integrations


def test_tour(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the notebook shows its plots itself
    notebook = nbformat.read(Path(__file__).parents[2] / "docs" / "tour.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=500, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    mean, half = re.search(r"learnt - random: ([+-][\d.]+) ± ([\d.]+)", outputs[-1].text).groups()
    assert float(mean) > float(half) > 0
