"""The way into the kernel: begin a match or a deal, list the legal actions, take one."""

from __future__ import annotations

from belote_env.engine.auction import apply_call, legal_calls
from belote_env.engine.bits import lowest
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
def legal_actions(s, r, out):
    """Write the legal action ids in ascending order into ``out`` (length NUM_ACTIONS); return their number."""
    phase = s[PHASE]
    if phase == PLAY:
        cards = playable_cards(s, r)
        count = 0
        while cards:
            out[count] = lowest(cards)
            cards &= cards - 1
            count += 1
        return count
    if phase == AUCTION:
        return legal_calls(s, r, out)
    if phase == OVER:
        return 0
    out[0] = ANNOUNCE_YES if phase == ANNOUNCE else SILENT
    out[1] = SILENT if phase == ANNOUNCE else BELOTE_YES
    return 2


@lean
def legal_mask(s, r, ids, mask):
    """Set ``mask`` (length NUM_ACTIONS) to 1 at the legal actions and 0 elsewhere; ``ids`` is scratch space.

    Returns the number of legal actions, whose ids are left at the start of ``ids``.
    """
    mask[:NUM_ACTIONS] = 0
    count = legal_actions(s, r, ids)
    for i in range(count):
        mask[ids[i]] = 1
    return count


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
