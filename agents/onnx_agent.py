"""Exported networks that play: ``onnx:FILE``, a file that ``belote export`` wrote, without PyTorch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime

from agents.levels import Seed
from agents.neural import Mind, NeuralAgent, check_plays
from belote_env.features import observation_layout
from belote_env.rules import Rules

FORMAT = "belote-onnx/1"
"""The file takes ``observations``, ``uint8`` ``(n, OBSERVATION_SIZE)``, and gives ``scores``, ``float32``
``(n, NUM_ACTIONS)``: the policy's logits, which mean nothing for illegal actions. Its metadata are :func:`metadata`."""


def metadata(rules: Iterable[Rules]) -> dict[str, str]:
    """Return what an exported policy says of itself."""
    return {
        "format": FORMAT,
        "observation": observation_layout(),
        "rules": json.dumps([one.to_dict() for one in rules]),
    }


@cache
def _load(path: Path, written: int) -> tuple[list[Rules], Mind]:
    data = path.read_bytes()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # an arena has a process a core
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # of a dozen types without a common one
        raise ValueError(f"{path} cannot be run: {str(error).splitlines()[0]}") from None
    found = session.get_modelmeta().custom_metadata_map
    if found.get("format") != FORMAT:
        raise ValueError(f"{path} is not a policy that belote export wrote (format {FORMAT})")
    if found.get("observation") != observation_layout():
        raise ValueError(f"{path}: made for another version of the observation; export it anew")

    def scores(observations: np.ndarray) -> np.ndarray:
        return session.run(["scores"], {"observations": observations})[0]

    rules = [Rules.from_dict(one) for one in json.loads(found["rules"])]
    return rules, Mind(scores, hashlib.sha256(data).hexdigest())


def onnx(rules: Rules, seed: Seed, argument: str) -> NeuralAgent:
    """Return the agent of an exported policy.

    Args:
        rules: the rule set that it will play.
        seed: not used: it leaves nothing to chance.
        argument: the path of the file.

    Raises:
        ValueError: if it cannot be read, or was trained for another game.
    """
    path = Path(argument)
    try:
        known, mind = _load(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ValueError(f"onnx:{argument}: {error.strerror}") from None
    check_plays(known, rules, f"onnx:{argument}")
    return NeuralAgent(mind)
