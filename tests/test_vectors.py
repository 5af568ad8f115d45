"""The product replays every handed vector to an equal trace."""

from __future__ import annotations

import json

import pytest
from test_referee import VECTORS, read_vectors

from belote_env.game import Game
from belote_env.replay import trace


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_every_vector(path):
    for number, vector in enumerate(read_vectors(path)):
        # As text: 1 is not True in JSON, and keys have an order.
        assert json.dumps(trace(vector["record"])) == json.dumps(vector["trace"]), f"{path.name}, deal {number}"


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.name.removesuffix(".jsonl.gz"))
def test_every_vector_is_written_as_it_was_read(path):
    for vector in read_vectors(path):
        record = vector["record"]
        written = Game.from_record(record).to_record()
        assert written == {"scores": [0, 0], "pot": 0} | record | {"rules": written["rules"]}
        assert Game.from_record(written).to_record() == written
