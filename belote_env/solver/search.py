"""The compiled search: zero-window alpha-beta with an explicit stack and a transposition table at trick boundaries."""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import NONE
from belote_env.engine.play import legal_cards
from belote_env.engine.tables import BEATS, HIGHER, SUIT_MASKS
from belote_env.solver.bounds import points_of, sure_cards, top_trumps
from belote_env.solver.guess import guess_rest
from belote_env.solver.ordering import promise
from belote_env.solver.tables import FULL_POINTS, LAST_TRICK, POINTS

# The working memory begins with the problem: one position, and what the points of the search mean for the deal.
HANDS = 0  # mask a seat, without the cards on the table
LEADER = 4
DENOMINATION = 5
ROW = 6  # of POINTS
TABLE = 7  # up to three cards on the table, in the order played, then NONE
SWEEP = 10  # bit t: team t has lost no trick so far, and it matters whether it takes them all
LEFT_POINTS = 11  # raw points still to be won, the last trick's included
WON = 12  # raw points won so far, a team
BELOTE = 14  # points for kings and queens of trumps in the end, a team
CAPOT = 16  # what all tricks count
TOTAL = 17  # what all raw points count, unless one side takes every trick
PROBLEM_SIZE = 18

# Then come a header and a frame for each card of the line being searched.
DEALT = PROBLEM_SIZE  # mask a seat: every card that belongs to it in this generation
GENERATION = DEALT + 4
NODES = GENERATION + 1
SWITCHES = NODES + 1  # bit 0: no table; bit 1: no masters counted
FRAMES = SWITCHES + 1
(
    ALL, SEAT, LEAD, BEST, BEST_SEAT, TRICK, COUNT, FLAGS, REST, NEED, BOUND, LOW, HIGH, SLOT, GAIN, MOVE, LEFT, HINT,
    MOVES,
) = range(19)  # fmt: skip
FRAME = MOVES + 8
WORK_SIZE = FRAMES + 33 * FRAME

MOST = 263  # more than any points plus one for the sweep
UNPLAYABLE = -1000
_GENERATIONS = 1 << 28  # that an entry of the table can tell apart
_STEP = 14

_HASH = -7046029254386353131  # 2^64 / golden ratio, odd


@inner
def _equal_dropped(moves, foreign, denomination):
    """Return ``moves`` without cards that are as good as another one: 7 8 (9) of no value with nothing between."""
    moves &= ~(moves >> 1 & 0x01010101)
    if denomination != ALL_TRUMPS:
        plain = ~SUIT_MASKS[denomination] if denomination < NO_TRUMPS else -1
        moves &= ~(moves >> 1 & 0x02020202 & plain)
        moves &= ~(moves >> 2 & ~(foreign >> 1) & 0x01010101 & plain)
    return moves


@inner
def _last_trick(all_, seat, denomination, work):
    """Return the winner of the trick in which everybody plays his only card."""
    best_seat = seat
    best = lowest(all_ & work[DEALT + seat])
    for turn in range(1, 4):
        player = (seat + turn) & 3
        card = lowest(all_ & work[DEALT + player])
        if BEATS[denomination, best] >> card & 1:
            best, best_seat = card, player
    return best_seat


@inner
def _two_tricks(all_, seat, need, flags, rest, denomination, row, r, work):
    """Return what team 0 takes of the last two tricks, or a bound that answers whether it is at least ``need``."""
    # Everything is counted for the leader's side: what it takes, and whether it could still sweep or be swept.
    hand0, hand1 = all_ & work[DEALT + seat], all_ & work[DEALT + (seat + 1 & 3)]
    hand2, hand3 = all_ & work[DEALT + (seat + 2 & 3)], all_ & work[DEALT + (seat + 3 & 3)]
    team = seat & 1
    sweep, swept = flags >> team & 1, flags >> 1 - team & 1
    target = rest - need + 1 if team else need
    best0 = -2
    moves0 = hand0
    while moves0 and best0 < target:
        card0 = lowest(moves0)
        moves0 &= moves0 - 1
        suit = card0 >> 3
        worst1 = MOST
        moves1 = legal_cards(hand1, suit, card0, False, denomination, r)
        while moves1 and worst1 >= target:
            card1 = lowest(moves1)
            moves1 &= moves1 - 1
            winner1, card_best1 = 0, card0
            if BEATS[denomination, card0] >> card1 & 1:
                winner1, card_best1 = 1, card1
            best2 = -2
            moves2 = legal_cards(hand2, suit, card_best1, winner1 == 0, denomination, r)
            while moves2 and best2 < target:
                card2 = lowest(moves2)
                moves2 &= moves2 - 1
                winner2, card_best2 = winner1, card_best1
                if BEATS[denomination, card_best1] >> card2 & 1:
                    winner2, card_best2 = 2, card2
                worst3 = MOST
                moves3 = legal_cards(hand3, suit, card_best2, winner2 == 1, denomination, r)
                while moves3 and worst3 >= target:
                    card3 = lowest(moves3)
                    moves3 &= moves3 - 1
                    winner = 3 if BEATS[denomination, card_best2] >> card3 & 1 else winner2
                    played = 1 << card0 | 1 << card1 | 1 << card2 | 1 << card3
                    last = _last_trick(all_ & ~played, seat + winner & 3, denomination, work)
                    if winner & 1 == 0:
                        if (last ^ seat) & 1 == 0:
                            v = rest + sweep
                        else:
                            v = points_of(played, row)
                    elif (last ^ seat) & 1 == 0:
                        v = rest - points_of(played, row)
                    else:
                        v = -swept
                    worst3 = min(worst3, v)
                best2 = max(best2, worst3)
            worst1 = min(worst1, best2)
        best0 = max(best0, worst1)
    return rest - best0 if team else best0


@inner
def search(work, r, table, need, first):
    """Answer whether team 0 takes at least ``need`` points of what is left, as a bound on what it takes.

    Returns a lower bound of at least ``need`` if it does, an upper bound below ``need`` if not.
    """
    # The masks here and below change nothing: they let the compiler leave out its care for negative indices.
    denomination, row = work[DENOMINATION] & 7, work[ROW] & 15
    last_bonus = LAST_TRICK[row]
    slots = len(table) - 1 & 0x7FFFFFFF
    stamp = work[GENERATION] << 36
    nodes = 0
    use_table = not work[SWITCHES] & 1
    use_sure = not work[SWITCHES] & 2

    all_ = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
    seat = work[LEADER] & 3
    lead, best = NONE, 0
    best_seat = seat
    trick = count = 0
    flags = work[SWEEP]
    while count < 3 and work[TABLE + count] != NONE:
        card = work[TABLE + count] & 31
        if count == 0:
            lead, best = card >> 3, card
        elif BEATS[denomination, best] >> card & 1:
            best, best_seat = card, seat
        trick += POINTS[row, card]
        count += 1
        seat = (seat + 1) & 3
    rest = work[LEFT_POINTS]

    ply = 0
    while True:
        # Enter a node.
        nodes += 1
        resolved = False
        low, high, slot = -1, rest + 1, NONE
        move = NONE
        v = 0
        if not all_ and not count:
            resolved, v = True, (flags & 1) - (flags >> 1)
        elif not count and (ply or first == NONE):
            mine = (work[DEALT + seat] | work[DEALT + (seat + 2 & 3)]) & all_
            side0 = mine if seat & 1 == 0 else all_ & ~mine
            if denomination < NO_TRUMPS:
                top0 = top_trumps(side0, all_ & ~side0, denomination)
                top1 = top_trumps(all_ & ~side0, side0, denomination)
            else:
                top0 = top1 = 0
            low = points_of(top0, row) if top0 else 0
            high = rest - points_of(top1, row) if top1 else rest
            if flags & 2 and not top0:
                low = -1
            if flags & 1 and not top1:
                high = rest + 1
            if low >= need:
                resolved, v = True, low
            elif high < need:
                resolved, v = True, high
            elif popcount(all_) == 4:
                winner = _last_trick(all_, seat, denomination, work)
                resolved = True
                v = rest + (flags & 1) if winner & 1 == 0 else -(flags >> 1)
            elif popcount(all_) == 8:
                resolved = True
                v = _two_tricks(all_, seat, need, flags, rest, denomination, row, r, work)
            else:
                if use_table:
                    key = all_ | seat << 32 | flags << 34
                    slot = (key * _HASH >> 24) & slots
                    if table[slot, 0] == key | stamp:
                        data = table[slot, 1]
                        low = max(low, (data & 0xFFFF) - 1)
                        high = min(high, (data >> 16 & 0xFFFF) - 1)
                        move = (data >> 32 & 0xFF) - 1
                        if low >= need:
                            resolved, v = True, low
                        elif high < need:
                            resolved, v = True, high
                if not resolved and use_sure:
                    left = all_ & work[DEALT + (seat + 1 & 3)]
                    partner = all_ & work[DEALT + (seat + 2 & 3)]
                    right = all_ & work[DEALT + (seat + 3 & 3)]
                    own = all_ & work[DEALT + seat]
                    top = top0 if seat & 1 == 0 else top1
                    captured, tricks = sure_cards(own, left, partner, right, denomination)
                    all_tricks = 4 * tricks == popcount(all_)
                    sure = points_of(captured | top, row) if tricks else -1
                    if seat & 1 == 0:
                        low = rest + (flags & 1) if all_tricks else max(low, sure)
                        if low >= need:
                            resolved, v = True, low
                    else:
                        high = -(flags >> 1) if all_tricks else min(high, rest - sure)
                        if high < need:
                            resolved, v = True, high
        if not resolved:
            hand = all_ & work[DEALT + seat]
            left = all_ & work[DEALT + (seat + 1 & 3)]
            partner = all_ & work[DEALT + (seat + 2 & 3)]
            right = all_ & work[DEALT + (seat + 3 & 3)]
            ours = (best_seat ^ seat) & 1 == 0
            frame = FRAMES + ply * FRAME & 0xFFF
            moves = legal_cards(hand, lead, best, ours, denomination, r)
            if first != NONE and not ply:
                moves = 1 << first
            if moves & (moves - 1):
                foreign = all_ & ~hand
                if count:
                    foreign |= 1 << best
                moves = _equal_dropped(moves, foreign, denomination)
            n = 0
            while moves:
                card = lowest(moves)
                moves &= moves - 1
                if n == 0 and not moves:
                    score = 0
                elif card == move:
                    score = 1 << 40
                else:
                    score = promise(card, hand, left, partner, right, count, lead, best, ours, trick, denomination, row)
                work[frame + MOVES + n] = score << 5 | card
                n += 1
            work[frame + ALL] = all_
            work[frame + SEAT] = seat
            work[frame + LEAD] = lead
            work[frame + BEST] = best
            work[frame + BEST_SEAT] = best_seat
            work[frame + TRICK] = trick
            work[frame + COUNT] = count
            work[frame + FLAGS] = flags
            work[frame + REST] = rest
            work[frame + NEED] = need
            work[frame + BOUND] = -1000 if seat & 1 == 0 else 1000
            work[frame + LOW] = low
            work[frame + HIGH] = high
            work[frame + SLOT] = slot
            work[frame + LEFT] = n
            work[frame + HINT] = move
        else:
            # Leave it, and every node that its value decides.
            while True:
                if ply == 0:
                    work[NODES] += nodes
                    return v
                ply -= 1
                frame = FRAMES + ply * FRAME & 0xFFF
                v += work[frame + GAIN]
                need = work[frame + NEED]
                card = work[frame + MOVE] & 31
                seat = work[frame + SEAT] & 3
                n = work[frame + LEFT] & 15
                if seat & 1 == 0:
                    decided = v >= need
                    if not decided:
                        work[frame + BOUND] = max(work[frame + BOUND], v)
                else:
                    decided = v < need
                    if not decided:
                        work[frame + BOUND] = min(work[frame + BOUND], v)
                if not decided and n:
                    # A card next to the one that failed differs at most by their points.
                    all_ = work[frame + ALL]
                    foreign = all_ & ~work[DEALT + seat]
                    if work[frame + COUNT]:
                        foreign |= 1 << (work[frame + BEST] & 31)
                    i = 0
                    while i < n:
                        other = work[frame + MOVES + i] & 31
                        if (other ^ card) >> 3 == 0:
                            between = (HIGHER[denomination, other] ^ HIGHER[denomination, card]) & foreign
                            if not between:
                                gap = abs(POINTS[row, other] - POINTS[row, card])
                                if seat & 1 == 0:
                                    skip = v + gap < need
                                    if skip:
                                        work[frame + BOUND] = max(work[frame + BOUND], v + gap)
                                else:
                                    skip = v - gap >= need
                                    if skip:
                                        work[frame + BOUND] = min(work[frame + BOUND], v - gap)
                                if skip:
                                    n -= 1
                                    work[frame + MOVES + i] = work[frame + MOVES + n]
                                    continue
                        i += 1
                    work[frame + LEFT] = n
                if not decided and n:
                    break
                if not decided:
                    v = work[frame + BOUND]
                if work[frame + COUNT] == 0:
                    if v >= need:
                        work[frame + LOW] = max(work[frame + LOW], v)
                    else:
                        work[frame + HIGH] = min(work[frame + HIGH], v)
                    # The slot may hold bounds of this very node, found deeper; those kept in the frame are as good.
                    slot = work[frame + SLOT]
                    if slot != NONE:
                        keep = card if decided else work[frame + HINT]
                        table[slot, 0] = (
                            work[frame + ALL] | work[frame + SEAT] << 32 | work[frame + FLAGS] << 34 | stamp
                        )
                        table[slot, 1] = work[frame + LOW] + 1 | work[frame + HIGH] + 1 << 16 | keep + 1 << 32
            lead = work[frame + LEAD]
            best = work[frame + BEST] & 31
            best_seat = work[frame + BEST_SEAT] & 3
            trick = work[frame + TRICK]
            count = work[frame + COUNT] & 3
            flags = work[frame + FLAGS]
            rest = work[frame + REST]
        # Play the most promising card of the node.
        n -= 1
        pick = n
        for i in range(n):
            if work[frame + MOVES + i] > work[frame + MOVES + pick]:
                pick = i
        card = work[frame + MOVES + pick] & 31
        work[frame + MOVES + pick] = work[frame + MOVES + n]
        work[frame + LEFT] = n
        work[frame + MOVE] = card
        all_ &= ~(1 << card)
        trick += POINTS[row, card]
        if count == 0:
            lead, best, best_seat = card >> 3, card, seat
        elif BEATS[denomination, best] >> card & 1:
            best, best_seat = card, seat
        gain = 0
        if count < 3:
            count += 1
            seat = seat + 1 & 3
        else:
            if not all_:
                trick += last_bonus
            seat = best_seat
            if seat & 1 == 0:
                gain = trick
                flags &= 1
            else:
                flags &= 2
            need -= gain
            rest -= trick
            count = trick = 0
            lead, best = NONE, 0
        work[frame + GAIN] = gain
        ply += 1


@lean
def begin(work, table):
    """Prepare for a position of another deal, which is in the working memory: what the table holds no longer counts."""
    work[GENERATION] += 1
    if work[GENERATION] == _GENERATIONS:
        work[GENERATION] = 1
        table[:] = 0
    for seat in range(4):
        work[DEALT + seat] = work[HANDS + seat]
    count = 0
    while count < 3 and work[TABLE + count] != NONE:
        work[DEALT + (work[LEADER] + count & 3)] |= 1 << work[TABLE + count]
        count += 1


@lean
def side_points(work, rest, team):
    """Return the points of a team at the end of the deal if team 0 takes ``rest`` of what is left.

    ``rest`` is in the unit of ``solve``. A capot is never worth less than all points without it, so the points of
    team 0 rise with ``rest``.
    """
    left = work[LEFT_POINTS]
    took = rest if team == 0 else left - rest
    if took > left:
        return work[CAPOT] + work[BELOTE + team]
    if took < 0:
        return work[BELOTE + team]
    # No total has halves at the scales in use, so it does not matter which side is rounded.
    full = FULL_POINTS[work[ROW]]
    return (2 * (work[WON + team] + took) * work[TOTAL] + full) // (2 * full) + work[BELOTE + team]


@lean
def root_cards(work, r):
    """Return the seat to play, and the mask of the cards it may play."""
    denomination = work[DENOMINATION]
    seat = best_seat = work[LEADER]
    lead = best = NONE
    count = 0
    while count < 3 and work[TABLE + count] != NONE:
        card = work[TABLE + count]
        if count == 0:
            lead, best = card >> 3, card
        elif BEATS[denomination, best] >> card & 1:
            best, best_seat = card, seat
        count += 1
        seat = seat + 1 & 3
    return seat, legal_cards(work[HANDS + seat], lead, best, (best_seat ^ seat) & 1 == 0, denomination, r)


@lean
def at_least(work, r, table, need, first):
    """Return whether team 0 takes at least ``need``, after the card ``first`` if that is not NONE."""
    return search(work, r, table, need, first) >= need


@lean
def reaches(work, r, table, team, points):
    """Return whether a team ends the deal with at least ``points``, capot and its belotes included."""
    # The least that it must take: what it has in the end rises with that.
    left = work[LEFT_POINTS]
    low, high = -1, left + 2
    while low < high:
        took = low + high >> 1
        if side_points(work, took if team == 0 else left - took, team) >= points:
            high = took
        else:
            low = took + 1
    if low > left + 1:
        return False
    if team == 0:
        return at_least(work, r, table, low, NONE)
    return not at_least(work, r, table, left - low + 1, NONE)


@inner
def first_guess(work):
    """Return a guess at what :func:`solve` returns."""
    cards = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
    for turn in range(3):
        if work[TABLE + turn] != NONE:
            cards |= 1 << work[TABLE + turn]
    mine = (work[DEALT] | work[DEALT + 2]) & cards
    leads = 1 if work[LEADER] & 1 == 0 else -1
    return guess_rest(mine, cards & ~mine, leads, work[DENOMINATION], work[LEFT_POINTS])


@inner
def converge(work, r, table, guess, step, first):
    """Return what team 0 takes after ``first``, by zero-window searches from ``guess`` on.

    In growing steps until the value is between two bounds, which are then brought together.
    """
    low, high = -1, MOST
    below = above = False
    need = min(max(guess, 0), MOST)
    while low < high:
        v = search(work, r, table, need, first)
        if v >= need:
            low, above = v, True
        else:
            high, below = v, True
        if above and below:
            need = low + high + 1 >> 1
        else:
            need = v + step if above else v - step + 1
            step *= 2
            need = max(low + 1, min(need, high))
    return low


@lean
def solve(work, r, table):
    """Return what team 0 takes of what is left: one more than all for a sweep, -1 for a sweep by team 1."""
    return converge(work, r, table, first_guess(work), _STEP, NONE)


@lean
def solve_cards(work, r, table, values):
    """Write what team 0 takes after each legal card into ``values`` (``int64``, 32), UNPLAYABLE for other cards.

    Returns the value of the position.
    """
    seat, moves = root_cards(work, r)
    best = UNPLAYABLE
    for card in range(32):
        values[card] = UNPLAYABLE
        if moves >> card & 1:
            guess = first_guess(work) if best == UNPLAYABLE else best
            values[card] = converge(work, r, table, guess, _STEP, card)
            if best == UNPLAYABLE or (values[card] > best) == (seat & 1 == 0):
                best = values[card]
    return best


@lean
def best_card(work, r, table, value):
    """Return the lowest card that keeps ``value``, which must be the position's."""
    seat, moves = root_cards(work, r)
    for card in range(32):
        if moves >> card & 1:
            if seat & 1 == 0:
                if at_least(work, r, table, value, card):
                    return card
            elif not at_least(work, r, table, value + 1, card):
                return card
    return NONE
