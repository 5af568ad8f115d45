"""The way into the kernel: begin a match or a deal, list the legal actions, take one."""

from __future__ import annotations

from belote_env.engine.auction import apply_call, legal_calls
from belote_env.engine.bits import lowest, spread
from belote_env.engine.deal import cut_pack, gather_pack, hand_out, hand_out_stock, shuffle_pack
from belote_env.engine.declarations import find_declarations, settle_contest, show_declarations
from belote_env.engine.jit import hot, inner, lean
from belote_env.engine.layout import (
    ANNOUNCE,
    ANNOUNCE_YES,
    ANNOUNCED,
    AUCTION,
    BELOTE,
    BELOTE_YES,
    BEST,
    BEST_SEAT,
    CALLED,
    COINCHER,
    CONTEST,
    DEALER,
    DEALS,
    DECLARATIONS,
    DENOMINATION,
    DOUBLED,
    EXCLUDED,
    HANDS,
    KNOWN,
    LEADERS,
    NONE,
    NUM_ACTIONS,
    OUTCOME,
    OVER,
    PAIR,
    PHASE,
    PLAY,
    PLAYED,
    POINTS,
    RNG,
    RUNG,
    SCORES,
    SEAT,
    SEQUENCE,
    SILENT,
    STATE_SIZE,
    SURCOINCHER,
    TAKER,
    TRICKS,
    TURNED,
    VALUES,
    WINNER,
)
from belote_env.engine.options import (
    ANNOUNCE_CHOOSE,
    AUCTION_NONE,
    AUCTION_TURNED,
    DETAIL_KIND_TOP,
    R_ANNOUNCE,
    R_ANNOUNCE_DETAIL,
    R_AT_VALUES,
    R_AUCTION,
    R_DECLARATIONS,
    R_NT_VALUES,
    R_RESHUFFLE,
)
from belote_env.engine.play import excluded_by, legal_cards
from belote_env.engine.rng import random_below
from belote_env.engine.scoring import count_belote, pairs_in_play, score_deal
from belote_env.engine.tables import AT_ROW, BEATS, CARD_POINTS, NT_ROW, RANK_K, RANK_Q


@inner
def clear_deal(s):
    """Blank every entry that belongs to one deal, but the pack and the dealer."""
    for i in range(HANDS, SCORES):
        s[i] = 0
    for i in (TURNED, TAKER, RUNG, DENOMINATION, COINCHER, SURCOINCHER, BEST, BEST_SEAT, CONTEST, OUTCOME):
        s[i] = NONE
    for i in range(4):
        s[ANNOUNCED + i] = NONE
        s[PAIR + i] = NONE
    s[DOUBLED] = 1
    s[PHASE] = AUCTION
    s[SEAT] = (s[DEALER] + 1) & 3


@lean
def begin_deal(s, r, trump):
    """Deal out the pack as it lies; ``trump`` is the suit of a game without an auction, else ignored."""
    clear_deal(s)
    s[DEALS] += 1
    hand_out(s, r)
    if r[R_AUCTION] == AUCTION_NONE:
        s[DENOMINATION] = trump
        _begin_play(s, r)


@inner
def _deal_anew(s, r):
    trump = random_below(s, 4) if r[R_AUCTION] == AUCTION_NONE else NONE
    begin_deal(s, r, trump)


@lean
def start_match(s, r):
    """Begin a new match: scores 0, a dealer at random, a shuffled pack. Only the generator's state goes on."""
    generator = s[RNG]
    for i in range(STATE_SIZE):
        s[i] = 0
    s[RNG] = generator
    s[WINNER] = NONE
    s[DEALER] = random_below(s, 4)
    shuffle_pack(s)
    _deal_anew(s, r)


@lean
def next_deal(s, r):
    """Begin the next deal of the match after one that is over."""
    if r[R_RESHUFFLE]:
        shuffle_pack(s)
    else:
        gather_pack(s, r)
        cut_pack(s)
    s[DEALER] = (s[DEALER] + 1) & 3
    _deal_anew(s, r)


@inner
def _begin_play(s, r):
    if r[R_AUCTION] == AUCTION_TURNED:
        hand_out_stock(s)
    denomination = s[DENOMINATION]
    s[VALUES] = denomination
    if denomination == 4:
        s[VALUES] = NT_ROW + r[R_NT_VALUES]
    elif denomination == 5:
        s[VALUES] = AT_ROW + r[R_AT_VALUES]
    if r[R_DECLARATIONS]:
        find_declarations(s, r)
    if pairs_in_play(s, r):
        for suit in range(4):
            if denomination == 5 or denomination == suit:
                pair = (1 << RANK_Q | 1 << RANK_K) << (8 * suit)
                for seat in range(4):
                    if s[HANDS + seat] & pair == pair:
                        s[PAIR + suit] = seat
    s[SEAT] = (s[DEALER] + 1) & 3
    s[LEADERS] = s[SEAT]
    _enter_turn(s, r)


@hot
def _enter_turn(s, r):
    """Set the phase for the seat to act: to choose whether to announce, or to play a card."""
    s[PHASE] = PLAY
    if r[R_ANNOUNCE] == ANNOUNCE_CHOOSE and s[PLAYED] < 4 and s[DECLARATIONS + 2 * s[SEAT]]:
        s[PHASE] = ANNOUNCE


@hot
def _lead_suit(s):
    """Return the suit led to the trick in progress, NONE before its first card."""
    return s[SEQUENCE + (s[PLAYED] & ~3)] >> 3 if s[PLAYED] & 3 else NONE


@hot
def playable_cards(s, r):
    """Return the mask of cards that the seat to act may play."""
    partner_winning = (s[BEST_SEAT] ^ s[SEAT]) & 1 == 0
    return legal_cards(s[HANDS + s[SEAT]], _lead_suit(s), s[BEST], partner_winning, s[DENOMINATION], r)


@hot
def legal_set(s, r):
    """Return the legal actions as bits of three words: the ids from 0 to 63, from 64 to 127, and from 128 on.

    An action that is the only legal one is in the first.
    """
    phase = s[PHASE]
    if phase == PLAY:
        return playable_cards(s, r), 0, 0
    if phase == AUCTION:
        return legal_calls(s, r)
    if phase == OVER:
        return 0, 0, 0
    return 1 << SILENT | 1 << (ANNOUNCE_YES if phase == ANNOUNCE else BELOTE_YES), 0, 0


@hot
def _list_bits(bits, first, out, count):
    while bits:
        out[count] = first + lowest(bits)
        bits &= bits - 1
        count += 1
    return count


@hot
def legal_actions(s, r, out):
    """Write the legal action ids in ascending order into ``out`` (length NUM_ACTIONS); return their number."""
    low, middle, high = legal_set(s, r)
    count = _list_bits(low, 0, out, 0)
    if middle | high:
        count = _list_bits(middle, 64, out, count)
        count = _list_bits(high, 128, out, count)
    return count


@hot
def write_mask(low, middle, high, mask):
    """Write a set of actions as ``mask``: ``int8``, length NUM_ACTIONS, 1 in the set and 0 elsewhere."""
    spread(low, mask, 0)
    spread(low >> 32, mask, 32)
    spread(middle, mask, 64)
    spread(middle >> 32, mask, 96)
    spread(high, mask, 128)
    spread(high >> (NUM_ACTIONS - 160), mask, NUM_ACTIONS - 32)


@lean
def legal_mask(s, r, mask):
    """Write the legal actions as ``mask``, see :func:`write_mask`."""
    low, middle, high = legal_set(s, r)
    write_mask(low, middle, high, mask)


@hot
def _say_belote(s, r, card):
    """Announce what playing ``card`` says about the king and queen of its suit; return whether to ask the player."""
    rank = card & 7
    suit = card >> 3
    denomination = s[DENOMINATION]
    # One branch for all cards that say nothing: four would be mispredicted too often.
    if not ((rank == RANK_Q) | (rank == RANK_K)) & ((denomination == 5) | (denomination == suit)):
        return False
    if not pairs_in_play(s, r):
        return False
    seat = s[SEAT]
    other = card ^ (RANK_Q ^ RANK_K)
    if s[PAIR + suit] != seat:
        if r[R_ANNOUNCE] != ANNOUNCE_CHOOSE:
            # He would have said belote.
            s[EXCLUDED + seat] |= 1 << other
        return False
    if s[CALLED + suit] == 1:
        s[CALLED + suit] = 2
        return False
    if s[CALLED + suit] == NONE:
        return False
    if r[R_ANNOUNCE] == ANNOUNCE_CHOOSE:
        return True
    _call_belote(s, r, suit, other)
    return False


@inner
def _call_belote(s, r, suit, other):
    s[CALLED + suit] = 1
    s[KNOWN + s[SEAT]] |= 1 << other
    count_belote(s, r, s[SEAT])


@hot
def _play_card(s, r, card):
    """Play a card; return whether that ends the turn, which it does unless the player is asked about belote."""
    seat = s[SEAT]
    lead = _lead_suit(s)
    best = s[BEST]
    denomination = s[DENOMINATION]
    s[EXCLUDED + seat] |= excluded_by(card, lead, best, (s[BEST_SEAT] ^ seat) & 1 == 0, denomination, r)
    s[HANDS + seat] &= ~(1 << card)
    s[KNOWN + seat] &= ~(1 << card)
    s[SEQUENCE + s[PLAYED]] = card
    s[PLAYED] += 1
    if lead == NONE or BEATS[denomination, best] >> card & 1:
        s[BEST] = card
        s[BEST_SEAT] = seat
    if s[PLAYED] <= 4 and s[ANNOUNCED + seat] == NONE:
        s[ANNOUNCED + seat] = s[DECLARATIONS + 2 * seat] != 0
    if r[R_ANNOUNCE_DETAIL] == DETAIL_KIND_TOP and 4 < s[PLAYED] <= 8:
        show_declarations(s, seat)
    if _say_belote(s, r, card):
        s[PHASE] = BELOTE
        return False
    return True


@hot
def _end_turn(s, r):
    """Pass the turn on after a card, and close the trick and the deal when it was their last."""
    if s[PLAYED] & 3:
        s[SEAT] = (s[SEAT] + 1) & 3
        _enter_turn(s, r)
        return
    winner = s[BEST_SEAT]
    team = winner & 1
    trick = (s[PLAYED] >> 2) - 1
    values = s[VALUES]
    points = 0
    for i in range(4 * trick, 4 * trick + 4):
        points += CARD_POINTS[values, s[SEQUENCE + i]]
    s[POINTS + team] += points
    s[TRICKS + team] += 1
    s[LEADERS + trick + 1] = winner
    s[SEAT] = winner
    s[BEST] = s[BEST_SEAT] = NONE
    if trick == 0 and r[R_DECLARATIONS]:
        settle_contest(s, r)
        if r[R_ANNOUNCE_DETAIL] != DETAIL_KIND_TOP:
            for seat in range(4):
                show_declarations(s, seat)
    if trick == 7:
        score_deal(s, r)
        s[PHASE] = OVER
    else:
        _enter_turn(s, r)


@hot
def step(s, r, action):
    """Take a legal action; an illegal one leaves the state undefined.

    When the deal ends, its result and the new totals are in the state and the phase is OVER.
    """
    phase = s[PHASE]
    turn_ends = False
    if phase == PLAY:
        turn_ends = _play_card(s, r, action)
    elif phase == AUCTION:
        if apply_call(s, r, action):
            if s[TAKER] == NONE:
                s[PHASE] = OVER
            else:
                _begin_play(s, r)
    elif phase == ANNOUNCE:
        s[ANNOUNCED + s[SEAT]] = action == ANNOUNCE_YES
        s[PHASE] = PLAY
    else:
        card = s[SEQUENCE + s[PLAYED] - 1]
        if action == BELOTE_YES:
            _call_belote(s, r, card >> 3, card ^ (RANK_Q ^ RANK_K))
        else:
            s[CALLED + (card >> 3)] = NONE
        turn_ends = True
    if turn_ends:
        _end_turn(s, r)
