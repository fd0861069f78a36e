"""`pokerroom.tournament.table`: a sit-and-go from the draw to the last prize."""

import pytest

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ops.reports import OrderRefused
from pokerroom.tournament.director import LINGER_S
from pokerroom_protocol import messages as wire
from tests.tournament.playing import NAME, Client, level, now


def status(room, seat):
    return next(view.status for view in room.snapshot().seats if view.seat == seat)


def test_b1_a_full_tournament_starts_with_drawn_seats_and_the_button_in_the_first(room):
    """B1, I1: the ledger has draw and chips before anybody is told; the fees are the house's."""
    row = room.row()
    assert row.phase == "running"
    assert sorted(row.players) == sorted(player.account for player in room.players)
    assert row.players != tuple(player.account for player in room.players), "drawn"
    assert [entry.chips for entry in row.entries] == [1_500] * 6
    snapshot = room.snapshot()
    assert snapshot.hand.button == 1
    assert (snapshot.info.offer, snapshot.info.small_blind) == ("six", 10)
    assert snapshot.tournament.prizes == [1_000, 440]
    assert now(room.ledger.audit()).escrow == 1_440


def test_it_is_played_to_the_last_prize(room):
    """Places from the last one up, prizes published once the ledger has their places, and then the table is over."""
    room.play_out()
    row = room.row()
    assert row.phase == "finished"
    assert [place.number for place in row.places] == [1, 2, 3, 4, 5, 6]
    assert sum(place.prize for place in row.places) == 1_440
    assert sorted(room.payouts.places) == [(NAME, 1), (NAME, 2)]
    told = room.players[0].all(wire.PlayerPlaced)
    assert [one.number for one in told] == [6, 5, 4, 3, 2, 1]
    assert room.players[0].last(wire.TournamentEnded).phase == "finished"
    assert room.overs == 0
    room.after(2)
    assert room.overs == 1
    for number in (1, 2):
        now(room.ledger.pay_place(NAME, number))
    report = now(room.ledger.audit())
    assert (report.differences, report.escrow) == ((), 0)


def test_what_a_player_sees_follows_from_the_events(room):
    """A snapshot and the events after it are the table as a later snapshot shows it, places and all."""
    from msgspec.structs import replace

    from pokerroom_protocol.table_view import after_event

    watcher = Client("watcher", None)
    watcher.account = now(room.ledger.create_account("watcher", "x", 0)).account
    room.ask(watcher, wire.Observe)
    seen = watcher.last(wire.Snapshot)
    seen = replace(seen, re=None)
    events_from = len(watcher.got)
    hands = 0
    while room.row().phase == "running":
        if room.table.state_name == "playing":
            room.all_in()
            hands += 1
        for event in watcher.got[events_from:]:
            if isinstance(event, wire.Event):
                seen = after_event(seen, event)
        events_from = len(watcher.got)
        if room.row().phase == "running":
            shown = room.table.game.view.snapshot(watcher.account, None)
            info = replace(seen.info, occupied=shown.info.occupied, players=shown.info.players)
            assert replace(seen, info=info) == shown
        room.clock.advance(7)
    assert hands


def test_b9_a_new_level_holds_from_the_next_hand(make):
    """B9: told when its time has come, and the hand in progress is played as it was dealt."""
    room = make()
    room.begin()
    first = room.turn().hand_id
    room.after(25)
    room.act("fold")
    room.after(25)
    assert not room.players[0].all(wire.LevelStarted)
    room.act("fold")
    room.after(12)
    told = room.players[0].last(wire.LevelStarted).level
    assert (told.level, told.small_blind, told.big_blind) == (2, 20, 40)
    assert told.ends_ms == (1_700_000_000 + 120) * 1000
    assert room.turn().hand_id == first
    room.fold_out()
    posted = [one.amount for one in room.players[0].all(wire.Posted)]
    assert posted == [10, 20, 20, 40]
    assert [room.record(first)[key] for key in ("small_blind", "big_blind")] == [10, 20]


def test_levels_may_last_so_many_hands(make):
    """And no time counts for them."""
    room = make(levels_timed=False, levels=(level(10, length=2), level(20, length=1), level(40, length=5)))
    room.begin()
    for _ in range(4):
        room.fold_out()
    levels = [(one.level.level, one.level.hands_left) for one in room.players[0].all(wire.LevelStarted)]
    assert levels == [(2, 1), (3, 5)]


def test_a_break_is_kept(make):
    """No hand is dealt in it, and the clock of the next level stands until it is over."""
    room = make(levels=(level(10, break_s=30), level(20)))
    room.begin()
    room.after(59)
    for _ in range(3):
        room.ask(room.at(room.turn().seat), wire.GetSnapshot)
    room.after(1.5)
    assert not room.players[0].all(wire.BreakStarted), "not before the hand has ended"
    room.fold_out()
    room.after(1)
    told = room.players[0].last(wire.BreakStarted)
    assert room.table.state_name == "waiting"
    view = room.snapshot().tournament
    assert (view.break_until_ms, view.level.ends_ms) == (told.until_ms, None)
    room.after(28)
    assert room.table.state_name == "waiting"
    room.after(2)
    assert room.players[0].last(wire.BreakEnded).level.level == 2
    assert room.table.state_name == "playing"


def test_h5_who_times_out_checks_or_folds_and_is_away_from_then_on(room):
    """H5 [D]: the player's next turn has no clock; acting or looking again brings them back."""
    late = room.turn().seat
    room.after(31)
    acted = room.players[0].all(wire.Acted)[-1]
    assert (acted.seat, acted.action, acted.by_clock) == (late, "fold", True)
    assert status(room, late) == "away"
    room.fold_out()
    room.fold_out()
    hand_id = room.table.game.play.hand_id()
    room.fold_out()
    acted = [one for one in room.players[0].all(wire.Acted) if one.hand_id == hand_id]
    assert [(one.action, one.by_clock) for one in acted if one.seat == late] == [("fold", False)]
    assert len(acted) == 5
    room.ask(room.of_seat(late), wire.Observe)
    assert status(room, late) == "playing"


@pytest.mark.parametrize(
    ("protection", "connected", "action"),
    [
        ("always", True, "clock_all_in"),
        ("disconnected", False, "clock_all_in"),
        ("disconnected", True, "fold"),
        ("never", False, "fold"),
    ],
)
def test_h2_a_setting_protects_the_chips_in_the_pot(make, protection, connected, action):
    """H2: the small blind runs out of time, and contests the pot with its blind where the offer says so."""
    room = make(timeout_protection=protection)
    room.begin()
    small_blind = room.snapshot().hand.small_blind
    while (turn := room.turn()).seat != small_blind:
        player = room.of_seat(turn.seat)
        room.ask(player, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")
    late = room.of_seat(small_blind)
    told = late.last(wire.Turn).on_timeout
    assert told == ("all_in" if protection == "always" else "fold"), "as it stands while they are connected"
    if not connected:
        late.connected = False
        room.table.viewer_gone(late)
    room.after(31)
    watcher = next(player for player in room.players if player is not late)
    acted = [one for one in watcher.all(wire.Acted) if one.seat == small_blind][-1]
    assert (acted.action, acted.by_clock) == (action, True)
    assert status(room, small_blind) == "away"


def test_h5_who_leaves_is_blinded_off_and_may_return(room):
    """H5: the player is dealt in, posts, and is folded; the others play on. A repeated request is refused."""
    leaver = room.of_seat(4)
    assert isinstance(room.answer(leaver, wire.StandUp), wire.Ok)
    assert room.answer(leaver, wire.StandUp).code == "not_playing"
    assert isinstance(room.answer(leaver, wire.Unobserve), wire.Ok)
    for _ in range(6):
        room.fold_out()
    posted = [one.amount for one in room.players[0].all(wire.Posted) if one.seat == 4]
    assert sorted(posted) == [10, 20]
    room.ask(leaver, wire.Observe)
    assert status(room, 4) == "playing"
    assert room.answer(leaver, wire.SitIn).code == "already_playing"


def test_with_everybody_away_it_plays_itself_to_the_end(make):
    """H5: blinds take all chips but one player's; the node has time for others meanwhile."""
    room = make(hand_pause_ms=2_000, levels=(level(100, length=20), level(200, length=20)))
    room.begin()
    for player in room.players:
        room.ask(player, wire.StandUp)
    room.after(300)
    assert room.row().phase == "finished"
    assert 6 < len(room.settler.settled) < 300 / 2 + 2
    for number in (1, 2):
        now(room.ledger.pay_place(NAME, number))
    assert now(room.ledger.audit()).differences == ()


def test_i2_two_who_go_out_together_are_placed_by_their_stacks(make):
    """I2: the larger stack at hand start places higher; equal ones share."""
    room = make(seats=3, prizes=(500, 220))
    room.begin()
    for _ in range(30):
        room.all_in(3)
        room.clock.advance(0.01)
        if room.row().phase != "running":
            break
    last = room.settler.settled[-1]
    record = room.record(last.hand_id)
    out = {seat["account"]: seat["stack"] for seat in record["seats"] if seat["end"] == 0}
    places = {place.account: place.place for place in room.row().places if place.account in out}
    if len(out) == 2:
        (one, stack_one), (two, stack_two) = out.items()
        assert (stack_one > stack_two) == (places[one] < places[two]) or stack_one == stack_two
    assert sum(place.prize for place in room.row().places) == 720


def test_nobody_sits_down_or_buys_in(room):
    """Seats are drawn: all that is about buying is refused, and changes nothing."""
    stranger = room.client("stranger")
    room.ask(stranger, wire.Observe)
    player = room.players[0]
    for client, kind, fields in (
        (stranger, wire.SitDown, {"buy_in": 2_000}),
        (stranger, wire.ReserveSeat, {}),
        (player, wire.TopUp, {"amount": 100}),
        (player, wire.SeatOptions, {"auto_top_up_to": 100}),
    ):
        assert room.answer(client, kind, **fields).code == "tournament_table"
    assert room.answer(stranger, wire.SitIn).code == "not_seated"
    assert isinstance(room.answer(player, wire.SeatOptions, muck_losing=False), wire.Ok)
    assert not room.table.game.seats.seats.of(player.account).muck_losing
    assert isinstance(room.answer(stranger, wire.Chat, text="hello"), wire.Ok)


def test_the_first_hand_waits_for_the_players_for_a_while(make):
    """So no player on the way is timed out; after that the hand is dealt without the absent player."""
    room = make()
    room.begin(*room.players[:5])
    assert room.table.state_name == "pausing"
    room.after(10)
    assert room.table.state_name == "playing"
    other = make()
    other.begin()
    assert other.table.state_name == "playing"


def test_a_tournament_that_is_not_full_does_not_start(make):
    """A player has left at the last moment: the tournament is given up, and no buy-in is touched."""
    room = make(players=5)
    room.tournament.restore([], [], frozenset())
    assert room.tournament_overs == 1
    assert room.row().phase == "registering"


def test_the_end_of_a_level_is_told_alike_at_every_moment(make):
    """Hands begin at fractions of a millisecond, and the level ends when it was told to end."""
    room = make()
    room.begin()
    told = set()
    for part in range(1, 12):
        room.clock.advance(part * 0.00037)
        room.fold_out()
        room.after(2)
        room.clock.advance(part * 0.00053)
        told.add(room.snapshot().tournament.level.ends_ms)

    assert len(told) == 1


# --- the operator -----------------------------------------------------------------------------------------------------


def test_paused_no_hand_is_dealt_and_the_clock_stands(room):
    """The hand in progress is played out; resumed, it goes on with what was left of the level."""
    paused = room.tournament.pause()
    assert now(paused) is None
    with pytest.raises(OrderRefused, match="already paused"):
        now(room.tournament.pause())
    room.fold_out()
    room.after(100)
    assert room.table.state_name == "paused"
    assert room.snapshot().tournament.paused
    assert len(room.players[0].all(wire.TournamentPaused)) == 1
    assert not room.players[0].all(wire.LevelStarted)
    now(room.tournament.unpause())
    assert room.table.state_name == "playing"
    ends_ms = room.players[0].last(wire.TournamentResumed).level.ends_ms
    assert ends_ms == room.clock.seconds() * 1000 + 60_000
    with pytest.raises(OrderRefused) as refused:
        now(room.tournament.unpause())
    assert refused.value.code == "not_paused"


def test_i3_rolled_back_everybody_has_his_buy_in_back(room):
    """I3: the hand in progress is void, and the table is over."""
    now(room.tournament.roll_back())
    assert room.row().phase == "rolled_back"
    assert room.players[0].last(wire.HandEnded).void
    assert room.players[0].last(wire.TournamentEnded).phase == "rolled_back"
    assert [now(room.ledger.wallet(player.account)) for player in room.players] == [100_000] * 6
    with pytest.raises(OrderRefused) as refused:
        now(room.tournament.roll_forward())
    assert refused.value.code == "tournament_not_running"
    room.after(2)
    assert room.overs == 1
    assert now(room.ledger.audit()).differences == ()


def test_i3_rolled_forward_who_is_left_shares_the_prizes(room):
    """I3: by their chips; paid as other prizes are."""
    room.all_in()
    room.clock.advance(0.01)
    now(room.tournament.roll_forward())
    row = room.row()
    assert row.phase == "rolled_forward"
    assert (len(row.places), sum(place.prize for place in row.places)) == (6, 1_440)
    assert {number for _, number in room.payouts.places} == {p.number for p in row.places if p.prize}
    assert room.players[0].last(wire.TournamentEnded).phase == "rolled_forward"
    room.after(2)
    assert room.overs == 1


def test_i3_rolling_back_is_refused_once_a_prize_is_won(make):
    """I3 [D]: and nothing changes: it is played on."""
    room = make(seats=3, prizes=(400, 220, 100))
    room.begin()
    while len(room.row().places) == 0:
        room.all_in()
        room.clock.advance(0.01)
    if room.row().phase == "running":
        with pytest.raises(OrderRefused) as refused:
            now(room.tournament.roll_back())
        assert refused.value.code == "tournament_prizes_won"
        assert room.table.state_name == "playing"


# --- restarts ---------------------------------------------------------------------------------------------------------


def test_it_is_played_on_in_mid_hand_after_a_restart(room):
    """The same hand, cards and decision; level, who is away, and places are as they were."""
    room.ask(room.of_seat(6), wire.StandUp)
    room.after(20)
    room.act("call")
    before = room.turn()
    room.restart()
    assert room.table.game.play.hand_id() == before.hand_id
    for player in room.players:
        if player is not room.of_seat(6):
            room.ask(player, wire.Observe)
    assert (room.turn().seat, room.turn().hand_id) == (before.seat, before.hand_id)
    assert status(room, 6) == "away"
    assert room.snapshot().tournament.level.ends_ms <= (1_700_000_000 + 80) * 1000
    room.play_out()
    assert room.row().phase == "finished"
    assert now(room.ledger.audit()).differences == ()


@pytest.mark.parametrize("journal", [True, False])
def test_a_restart_between_settling_and_placing_places_all_the_same(make, journal):
    """The hand is in the ledger, and its places are not: with the journal or without, they are given now."""
    room = make()
    room.begin()
    give, room.ledger.give_places = room.ledger.give_places, lambda *_, **__: now_never()
    while not any(entry.chips == 0 for entry in room.row().entries):
        room.all_in()
        room.clock.advance(0.01)
    out = sum(entry.chips == 0 for entry in room.row().entries)
    assert room.row().places == ()
    room.ledger.give_places = give
    room.restart(journal=journal)
    assert len(room.row().places) == (out if out < 5 else 6)
    for player in room.players:
        room.ask(player, wire.Observe)
    room.after(11)
    room.play_out()
    assert (room.row().phase, room.overs) == ("finished", 0)
    assert sum(place.prize for place in room.row().places) == 1_440
    assert now(room.ledger.audit()).differences == ()


def test_i4_without_its_journal_the_hand_is_void_and_the_tournament_goes_on(room):
    """I4: chips as at hand start; the level follows from the time since the start."""
    room.after(29)
    room.act("call")
    room.after(29)
    room.act("call")
    room.after(10)
    room.restart(journal=False)
    assert room.table.game.play.hand_id() is None
    for player in room.players:
        room.ask(player, wire.Observe)
    assert sum(view.stack for view in room.snapshot().seats) < 9_000, "blinds are posted"
    assert room.table.state_name == "playing"
    assert room.snapshot().tournament.level.level == 2
    room.play_out()
    assert now(room.ledger.audit()).differences == ()


def test_what_the_operator_has_paused_stays_so_at_the_next_owner(room):
    """Until the operator resumes it; the clock stands meanwhile."""
    now(room.tournament.pause())
    room.fold_out()
    room.after(20)
    room.restart()
    room.ask(room.players[0], wire.Observe)
    room.after(30)
    assert (room.table.state_name, room.snapshot().tournament.paused) == ("paused", True)
    now(room.tournament.unpause())
    room.after(11)
    assert room.table.state_name == "playing"


def test_a_break_goes_on_where_it_stood_when_the_table_moves(make):
    """Its owner hands it over: what has passed of the break, or of the level, has passed."""
    room = make(levels=(level(10, break_s=30), level(20)))
    room.begin()
    room.after(61)
    room.fold_out()
    until_ms = room.players[0].last(wire.BreakStarted).until_ms
    room.after(20)
    now(room.table.hand_over())
    room.restart()
    room.ask(room.players[0], wire.Observe)
    assert abs(room.snapshot().tournament.break_until_ms - until_ms) <= 20


def test_a_frozen_table_stands_and_its_hand_may_be_void(room):
    """As any table: it stays so at its next owner; void, chips are as before the hand (I4), and it goes on."""
    room.act("call")
    hand_id = room.table.game.play.hand_id()
    now(room.table.freeze())
    with pytest.raises(OrderRefused) as refused:
        now(room.tournament.roll_forward())
    assert refused.value.code == "table_frozen"
    room.after(90)
    room.restart()
    for player in room.players:
        room.ask(player, wire.Observe)
    assert room.table.state_name == "frozen"
    assert now(room.table.void_hand()) == hand_id
    now(room.table.resume())
    room.after(1)
    assert room.table.state_name == "playing"
    assert room.table.game.play.hand_id() != hand_id
    chips = [view.stack + view.bet for view in room.snapshot().seats]
    assert chips == [1_500] * 6
    room.play_out()
    assert now(room.ledger.audit()).differences == ()


def test_a_result_that_the_ledger_refuses_is_given_up_expressly(room):
    """Chips are as before the hand, no player is out, and the tournament goes on to its last prize."""
    room.settler.fails_with = LedgerConflict("other legs")
    hand_id = room.table.game.play.hand_id()
    room.all_in()
    now(room.table.freeze())
    with pytest.raises(OrderRefused) as refused:
        now(room.table.void_hand())
    assert refused.value.code == "hand_complete"
    assert now(room.table.void_hand(complete=True)) == hand_id
    room.settler.fails_with = None
    room.restart()
    for player in room.players:
        room.ask(player, wire.Observe)
    now(room.table.resume())
    room.after(90)
    assert room.table.game.play.hand_id() not in {None, hand_id}
    assert [view.stack + view.bet for view in room.snapshot().seats] == [1_500] * 6
    room.play_out()
    assert now(room.ledger.audit()).differences == ()


def test_a_fault_of_ours_and_the_table_begins_anew(room):
    """In the middle of a hand: a second later it is played on, with the same players and chips."""
    hand_id, seat = room.turn().hand_id, room.turn().seat
    room.table.mailbox.post(lambda: 1 / 0)
    assert room.table.state_name == "frozen"
    room.after(2)
    assert (room.table.game.play.hand_id(), room.turn().seat) == (hand_id, seat)
    assert room.counts.crashes == 1
    room.play_out()
    assert room.row().phase == "finished"


@pytest.mark.parametrize("journal", [True, False])
@pytest.mark.parametrize("phase", ["finished", "rolled_back", "rolled_forward"])
def test_a_tournament_that_has_ended_is_shown_to_who_was_not_told_and_then_is_over(make, phase, journal):
    """Its owner has died in the last moment, perhaps before it told anybody. It is shown at the level it had."""
    room = make(levels_timed=False, levels=(level(10, length=2), level(20)))
    room.begin()
    room.fold_out()
    room.fold_out()
    if phase == "finished":
        room.play_out()
    else:
        now(room.tournament.roll_back() if phase == "rolled_back" else room.tournament.roll_forward())
    places, at = room.row().places, room.snapshot().tournament.level.level
    assert at > 1
    room.restart(journal=journal)
    winner = room.players[0]
    number = room.ask(winner, wire.Observe)
    [shown] = [message for message in winner.got if getattr(message, "re", None) == number]
    assert (shown.tournament.phase, shown.seats, shown.your_seat, shown.hand) == (phase, [], None, None)
    assert [place.number for place in shown.tournament.places] == [place.number for place in places]
    assert shown.tournament.level.level == at
    assert room.overs == 0
    room.after(LINGER_S)
    assert room.overs == 1


def test_what_is_seen_between_the_end_and_the_last_word_is_the_end(room):
    """A client that observes while the table lingers is told the same as earlier viewers."""
    room.play_out()
    client = room.client("late")
    number = room.ask(client, wire.Observe)
    [shown] = [message for message in client.got if getattr(message, "re", None) == number]
    assert shown.tournament.phase == "finished"


def now_never():
    from twisted.internet.defer import Deferred

    return Deferred()


def test_what_is_asked_before_the_ledger_has_answered_is_refused_for_now(room):
    """The seats are not known yet: the player is not told that they have none."""
    player = room.of_seat(1)
    found, room.ledger.tournament = room.ledger.tournament, lambda *_: now_never()
    room.restart()
    numbers = [room.ask(player, wire.SitIn), room.ask(player, wire.Act, hand_id="h", seq=1, action="check")]
    refusals = [message for message in player.got if getattr(message, "re", None) in numbers]
    assert [refusal.code for refusal in refusals] == ["unavailable"] * 2
    room.ledger.tournament = found


def test_a_table_that_is_about_to_open_is_not_frozen(room):
    """A client that asks to see it waits for the ledger, and would wait for the operator, too."""
    found, room.ledger.tournament = room.ledger.tournament, lambda *_: now_never()
    room.restart()
    with pytest.raises(OrderRefused) as refused:
        now(room.table.freeze())
    assert refused.value.code == "table_stopped"
    assert room.table.state_name != "frozen"
    room.ledger.tournament = found
