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
from agents.network import PADDING, PolicyNetwork, stage_of
from agents.onnx_agent import metadata
from belote_env.files import write_atomically
from belote_env.observation import OBSERVATION_SIZE


class _Scores(nn.Module):
    """The scores of a policy by operations that do not depend on the data: all networks see every observation."""

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.bidding, self.play, self.ending = network.bidding, network.play, network.ending

    def forward(self, observations: Tensor) -> Tensor:
        calls, cards, last_cards = (
            functional.pad(one(observations).scores, padding)
            for one, padding in zip((self.bidding, self.play, self.ending), PADDING, strict=True)
        )
        stages = stage_of(observations)[:, None]
        return torch.where(stages == 0, calls, torch.where(stages == 1, cards, last_cards))


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
