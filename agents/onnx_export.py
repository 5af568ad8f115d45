"""Writing a policy as an ONNX file, for runtimes other than PyTorch: what it holds says ``onnx_agent``."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.checkpoint import Checkpoint
from agents.network import PolicyNetwork, is_call
from agents.onnx_agent import metadata
from belote_env.cards import CARDS
from belote_env.engine.layout import NUM_ACTIONS
from belote_env.files import write_atomically
from belote_env.observation import OBSERVATION_SIZE


class _Scores(nn.Module):
    """The scores of a policy by operations that do not depend on the data: both networks see every observation."""

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.bidding, self.play = network.bidding, network.play

    def forward(self, observations: Tensor) -> Tensor:
        calls = functional.pad(self.bidding(observations).scores, (len(CARDS), 0))
        cards = functional.pad(self.play(observations).scores, (0, NUM_ACTIONS - len(CARDS)))
        return torch.where(is_call(observations)[:, None], calls, cards)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the exporter tells of itself from the user."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def export(checkpoint: Checkpoint, path: Path) -> None:
    """Write the policy of a checkpoint.

    Raises:
        ImportError: without onnx and onnxscript.
    """
    example = torch.zeros(2, OBSERVATION_SIZE, dtype=torch.uint8)
    with _quiet():
        program = torch.onnx.export(
            _Scores(checkpoint.network).eval(),
            (example,),
            input_names=["observations"],
            output_names=["scores"],
            dynamic_shapes={"observations": {0: torch.export.Dim("n")}},
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    program.model.metadata_props.update(metadata(checkpoint.rules))
    write_atomically(path, program.model_proto.SerializeToString())
