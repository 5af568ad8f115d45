"""The parts of an observation one by one over many games, for the profile that ``belote bench`` prints."""

from __future__ import annotations

from belote_env.engine import encode
from belote_env.engine.jit import lean
from belote_env.engine.kernel import legal_mask
from belote_env.engine.layout import SEAT
from belote_env.engine.memory import copy_bytes

PARTS = (
    "the loop alone",
    "mask",
    "observation",
    "  planes of cards",
    "  zeros and rules",
    "  tricks",
    "  auction and contract",
    "  voids, declarations, belotes",
    "  points and scores",
    "packing into bits",
    "scaling to floats",
)


@lean
def run_part(part, states, r, blank, masks, observations, packed, floats):
    """Run one of :data:`PARTS`, by its position, in every game; the arrays are as ``vector.Step`` has them."""
    for game in range(len(states)):
        s = states[game]
        seat = s[SEAT]
        out = observations[game]
        if part == 1:
            legal_mask(s, r, masks[game])
        elif part == 2:
            encode.write_observation(s, r, blank, seat, out)
        elif part == 3:
            encode._put_planes(s, seat, out)
        elif part == 4:
            copy_bytes(blank[encode._TRUMP :], out[encode._TRUMP :])
        elif part == 5:
            encode._put_tricks(s, seat, out)
        elif part == 6:
            encode._put_auction(s, seat, out)
        elif part == 7:
            encode._put_voids(s, seat, out)
            encode._put_declarations(s, r, seat, out)
            encode._put_belotes(s, seat, out)
        elif part == 8:
            encode._put_sides(s, r, seat, out)
        elif part == 9:
            encode.pack_observation(out, packed[game])
        elif part == 10:
            encode.scale_observation(out, floats[game])
