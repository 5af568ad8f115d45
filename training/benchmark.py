"""The open benchmark: frozen deals and a frozen panel of anchors, so that results from different people compare.

The deals of a game follow from a seed; ``CHECKSUMS`` holds a hash of them, so that a change of the random numbers or of
the deal cannot go unnoticed. Develop on ``dev``; report on ``report``, and look at it seldom.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from agents.identity import identity
from belote_env.engine.layout import DEALER, HANDS, PACK, TURNED
from belote_env.rules import Rules
from training.comparison import Comparison
from training.duplicate import Pairing, start_of
from training.rating import Rating

FORMAT = "belote-benchmark/1"
ANCHORS = ("random", "easy", "normal", "hard", "crazy", "pimc:50", "rollouts:400")
DEALS = {"dev": 2_000, "report": 10_000}
SEEDS = {"dev": 20_261_130, "report": 20_261_131}

CHECKSUMS = {
    ("belote", "dev"): "5b8d9d56f9dd78d1",
    ("belote", "report"): "568af381b45b5f66",
    ("coinche", "dev"): "0242768073b4da71",
    ("coinche", "report"): "8053883a62d921cd",
    ("coinche_plus", "dev"): "0242768073b4da71",
    ("coinche_plus", "report"): "8053883a62d921cd",
    ("contree", "dev"): "0242768073b4da71",
    ("contree", "report"): "8053883a62d921cd",
    ("encheres", "dev"): "0242768073b4da71",
    ("encheres", "report"): "8053883a62d921cd",
}


def checksum(rules: Rules, deals: str) -> str:
    """Return the hash of the cards and dealers of ``"dev"`` or ``"report"``: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    pairing = Pairing(("random", "random"), rules, SEEDS[deals])
    for number in range(DEALS[deals]):
        state = start_of(pairing, number)
        for first, count in ((DEALER, 1), (PACK, 32), (HANDS, 4), (TURNED, 1)):
            digest.update(state[first : first + count].astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def score_card(agent: str, deals: str, results: Sequence[Comparison], rated: Sequence[Rating]) -> dict[str, Any]:
    """Return the score card as JSON-ready values.

    Args:
        agent: who was measured.
        deals: ``"dev"`` or ``"report"``.
        results: the agent against each anchor.
        rated: the ratings of all of them.
    """
    rules = results[0].pairing.rules
    return {
        "format": FORMAT,
        "agent": identity(agent, rules),
        "rules": rules.to_dict(),
        "deals": deals,
        "checksum": CHECKSUMS[rules.base, deals],
        "results": [result.to_dict() for result in results],
        "ratings": [rating.to_dict() for rating in rated],
    }
