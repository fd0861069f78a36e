"""The part of the ledger's contract for satellites and tickets (L14): `TicketLedger`.

`Tickets` is mixed into `Contract`.
"""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse
from pokerroom.ledger.adjustments import FourEyesNeeded
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict
from pokerroom.ledger.cashier import CashKeyUsed, SourceEmpty, UnknownSource
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.tickets import NoTicketTarget, TicketGift, TicketPrize, TicketUsed
from pokerroom.ledger.tournaments import PrizePaid
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_account_history import moved
from tests.ledger.contract_of_cashier import funded
from tests.ledger.contract_of_scheduled_tournaments import NOON_MS, out, scheduled, sound, spent
from tests.ledger.contract_of_tournament_hands import hand
from tests.ledger.contract_of_tournaments import given, opening

TARGET, VALUE = "sun.1", Money(300)
SATELLITE = "sat.1"
DAY_MS = 86_400_000
ANN = Acting(who="ann", role="cashier", reason="promised")


def satellite(*, guaranteed=0, days=90, number=1):
    """For 3.00 with a fee of 0.60; its seats are tickets for `sun`, worth 3.00."""
    terms = scheduled(guarantee=guaranteed * VALUE, starts_ms=NOON_MS - 10 + number)
    prize = TicketPrize(offer="sun", value=VALUE, days=days)
    return replace(terms, tournament=f"sat.{number}", offer="sat", number=number, ticket=prize)


def players(run, ledger, number, opening=None):
    """Accounts that play the satellite, in seats from 1 on, with 1,500 each; its entries are open."""
    accounts = opened(run, ledger, *(f"p{n}" for n in range(1, number + 1)))
    opening = opening or satellite()
    run(ledger.open_tournament(opening))
    for account in accounts:
        run(ledger.enter(opening.tournament, account, 1))
    take_tournament(run, ledger, opening.tournament)
    run(ledger.start_tournament(opening.tournament, 1, accounts, 1_500))
    return accounts


def won(run, ledger):
    """One of two players wins a ticket, and the other the rest of 1.80; return both."""
    winner, loser = players(run, ledger, 2)
    run(ledger.close_entries(SATELLITE, 1, 2, [300, 180]))
    run(ledger.settle([hand("h1", {winner: 1_500, loser: -1_500}, table=SATELLITE)]))
    run(ledger.give_places(SATELLITE, 1, 2, [given(2, loser, 180)]))
    run(ledger.give_places(SATELLITE, 1, 1, [given(1, winner, 300)]))
    for number in (1, 2):
        run(ledger.pay_place(SATELLITE, number))
    return winner, loser


def gift(account, key="g1", *, offer="sun", source="cash"):
    return TicketGift(account=account, key=key, offer=offer, days=30, source=source)


def announced(run, ledger, offer, buy_in, number=1):
    """A tournament of an offer takes entries at this price."""
    terms = replace(scheduled(number), tournament=f"{offer}.{number}", offer=offer)
    run(ledger.open_tournament(replace(terms, buy_in=Money(buy_in))))


def values(run, ledger, *accounts):
    """The values of the unused tickets of each account."""
    return [[row.value for row in run(ledger.tickets(account))] for account in accounts]


class Tickets:
    """Wallets begin with 10,000."""

    @pytest.fixture
    def alice(self, run, ledger):
        """An account, and a source with 5,000 to give tickets from."""
        funded(run, ledger)
        (alice,) = opened(run, ledger, "alice")
        run(ledger.open_tournament(scheduled()))
        return alice

    def test_a_seat_of_a_satellite_is_a_ticket(self, run, ledger):
        """It is paid once, and so is the money of the next place; the terms are those of the opening."""
        winner, loser = won(run, ledger)
        assert run(ledger.tournament(SATELLITE)).opening == satellite()
        for number, prize, seat in ((1, 300, 300), (2, 180, 0)):
            assert run(ledger.pay_place(SATELLITE, number)) == PrizePaid(prize=prize, ticket=seat)
        assert spent(run, ledger, [winner, loser]) == [300, 120]
        (ticket,) = run(ledger.tickets(winner))
        assert (ticket.offer, ticket.value, ticket.source) == ("sun", VALUE, "")
        ended_ms = run(ledger.tournament(SATELLITE)).ended_ms
        assert abs(ticket.expires_ms - ended_ms - 90 * DAY_MS) < 60_000
        assert values(run, ledger, loser) == [[]]
        sound(run, ledger)

    def test_a_ticket_pays_one_entry_and_comes_back_with_it(self, run, ledger):
        """The entry uses it by itself, however often it is said; returned or cancelled it is unused again."""
        winner, loser = won(run, ledger)
        run(ledger.open_tournament(scheduled(guarantee=0)))
        for number in (1, 2):
            for _ in range(2):
                assert run(ledger.enter(TARGET, winner, number)) is True
            assert values(run, ledger, winner) == [[]]
            assert run(ledger.audit()).escrow == 300
            sound(run, ledger)
            for _ in range(2):
                run(ledger.return_entry(TARGET, winner, number))
            assert values(run, ledger, winner) == [[VALUE]]
        assert run(ledger.enter(TARGET, winner, 3)) is True
        assert run(ledger.enter(TARGET, loser, 1)) is False
        sound(run, ledger)
        for _ in range(2):
            run(ledger.cancel_tournament(TARGET))
        assert values(run, ledger, winner, loser) == [[VALUE], []]
        assert spent(run, ledger, [winner, loser]) == [300, 120]
        sound(run, ledger)

    def test_a_roll_back_returns_tickets_and_money(self, run, ledger):
        """A re-entry that the wallet has paid comes back as money, what the ticket has paid as a ticket."""
        winner, loser = won(run, ledger)
        run(ledger.open_tournament(scheduled()))
        for account in (winner, loser):
            run(ledger.enter(TARGET, account, 1))
        take_tournament(run, ledger, TARGET)
        run(ledger.start_tournament(TARGET, 1, [winner, loser], 1_500))
        out(run, ledger, winner, loser, "h2")
        assert run(ledger.enter(TARGET, winner, 2)) is False
        assert spent(run, ledger, [winner, loser]) == [600, 420]
        for _ in range(2):
            run(ledger.roll_back_tournament(TARGET, 1))
        assert values(run, ledger, winner, loser) == [[VALUE], []]
        assert spent(run, ledger, [winner, loser]) == [300, 120]
        sound(run, ledger)

    def test_a_late_entry_may_be_a_ticket(self, run, ledger):
        """Its fee goes to the house at once, and a ticket that was played is gone."""
        winner, _ = won(run, ledger)
        run(ledger.open_tournament(scheduled()))
        carol, dave = opened(run, ledger, "carol", "dave")
        for account in (carol, dave):
            run(ledger.enter(TARGET, account, 1))
        take_tournament(run, ledger, TARGET)
        run(ledger.start_tournament(TARGET, 1, [carol, dave], 1_500))
        assert run(ledger.enter(TARGET, winner, 1)) is True
        assert run(ledger.audit()).escrow == 3 * 240
        assert values(run, ledger, winner) == [[]]
        sound(run, ledger)

    def test_a_player_with_a_ticket_gets_the_next_one_as_money(self, run, ledger):
        """A second seat of the same offer is worth its value."""
        winner, loser = won(run, ledger)
        run(ledger.open_tournament(satellite(number=2)))
        for account in (winner, loser):
            run(ledger.enter("sat.2", account, 1))
        take_tournament(run, ledger, "sat.2")
        run(ledger.start_tournament("sat.2", 1, [winner, loser], 1_500))
        run(ledger.close_entries("sat.2", 1, 2, [300, 180]))
        run(ledger.settle([hand("h2", {winner: 1_500, loser: -1_500}, table="sat.2")]))
        run(ledger.give_places("sat.2", 1, 2, [given(2, loser, 180)]))
        run(ledger.give_places("sat.2", 1, 1, [given(1, winner, 300)]))
        for number, prize in ((1, 300), (2, 180)):
            assert run(ledger.pay_place("sat.2", number)) == PrizePaid(prize=prize, ticket=0)
        assert values(run, ledger, winner) == [[VALUE]]
        assert spent(run, ledger, [winner, loser]) == [300, 240]
        sound(run, ledger)

    def test_a_satellite_that_an_operator_ends_pays_money(self, run, ledger):
        """Its prizes are shared by chips, so that a share is no seat."""
        one, other = players(run, ledger, 2)
        run(ledger.close_entries(SATELLITE, 1, 2, [300, 180]))
        places = [given(1, one, 300), given(2, other, 180)]
        run(ledger.give_places(SATELLITE, 1, 1, places, rolled_forward=True))
        for number in (1, 2):
            run(ledger.pay_place(SATELLITE, number))
        assert values(run, ledger, one, other) == [[], []]
        assert spent(run, ledger, [one, other]) == [0, 120]
        sound(run, ledger)

    @pytest.mark.parametrize(
        ("entered", "guaranteed", "prizes"),
        [
            (5, 0, [300] * 4),
            (4, 0, [300, 300, 300, 60]),
            (4, 4, [300] * 4),
            (3, 0, [300, 300, 120]),
            (3, 0, [360, 360]),
            (3, 0, [720]),
            (2, 9, [300, 300]),
        ],
        ids=["even", "rest", "guarantee", "three", "two left", "one left", "more than players"],
    )
    def test_the_prizes_are_seats_and_what_is_left(self, run, ledger, entered, guaranteed, prizes):
        """Of 2.40 from each entry; the house adds what guaranteed seats lack, and those left share the rest."""
        players(run, ledger, entered, satellite(guaranteed=guaranteed))
        run(ledger.close_entries(SATELLITE, 1, entered, prizes))
        assert run(ledger.audit()).escrow == sum(prizes)
        sound(run, ledger)

    @pytest.mark.parametrize(
        "prizes",
        [
            [300, 300, 300],
            [300, 300, 300, 30, 30],
            [330, 330, 300],
            [299, 299, 299, 63],
            [300] * 4,
            [660, 300],
        ],
    )
    def test_other_prizes_are_refused(self, run, ledger, prizes):
        """Too little, a second rest, an uneven share, no seats, and more than the pool pays."""
        players(run, ledger, 4)
        with pytest.raises(LedgerConflict):
            run(ledger.close_entries(SATELLITE, 1, 4, prizes))
        assert not run(ledger.tournament(SATELLITE)).closed

    def test_an_operator_gives_a_ticket_once(self, run, ledger, alice):
        """From a source, with a line of the log; other terms under the same key are refused."""
        row = run(ledger.give_ticket(gift(alice), by=ANN))
        assert run(ledger.give_ticket(gift(alice), by=ANN)) == row
        assert (row.account, row.offer, row.value, row.source) == (alice, "sun", VALUE, "cash")
        assert run(ledger.tickets(alice)) == [row]
        (source,) = run(ledger.sources())
        assert source.balance == 5_000 - 300
        (line,) = run(ledger.log_lines(LogQuery(verb="cashier.give_ticket")))
        assert (line.by, line.subject) == (ANN, f"account:{alice}")
        announced(run, ledger, "high", 5_000)
        for refusal, wrong in (
            (CashKeyUsed, gift(alice, offer="high")),
            (UnknownSource, gift(alice, "g2", source="none")),
            (SourceEmpty, gift(alice, "g2", offer="high")),
            (LookupError, gift(99, "g2")),
        ):
            with pytest.raises(refusal):
                run(ledger.give_ticket(wrong, by=ANN))
        run(ledger.set_four_eyes(on=True, by=ANN))
        with pytest.raises(FourEyesNeeded):
            run(ledger.give_ticket(gift(alice, "g2"), by=ANN))
        assert run(ledger.give_ticket(gift(alice), by=ANN)) == row
        sound(run, ledger)

    def test_a_gift_is_worth_the_last_price_of_its_offer(self, run, ledger, alice):
        """Also if that tournament has ended; an offer of sit-and-gos, or one that announced nothing, is refused."""
        announced(run, ledger, "sun", 320, number=2)
        row = run(ledger.give_ticket(gift(alice, "g1"), by=ANN))
        run(ledger.cancel_tournament("sun.2"))
        assert run(ledger.give_ticket(gift(alice, "g2"), by=ANN)).value == row.value == 320
        announced(run, ledger, "sun", 280, number=3)
        assert run(ledger.give_ticket(gift(alice, "g1"), by=ANN)) == row
        run(ledger.open_tournament(opening("fast.1")))
        for offer in ("fast", "none"):
            with pytest.raises(NoTicketTarget):
                run(ledger.give_ticket(gift(alice, "g3", offer=offer), by=ANN))
        assert run(ledger.give_ticket(gift(alice, "g3"), by=ANN)).value == 280
        (source,) = run(ledger.sources())
        assert source.balance == 5_000 - 320 - 320 - 280
        sound(run, ledger)

    def test_a_ticket_ends_once_and_goes_where_it_came_from(self, run, ledger, alice):
        """A gift back to its source, a won one to the wallet; one that pays an entry does not end."""
        winner, _ = won(run, ledger)
        mine = run(ledger.give_ticket(gift(alice), by=ANN))
        (theirs,) = run(ledger.tickets(winner))
        run(ledger.enter(TARGET, alice, 1))
        with pytest.raises(TicketUsed):
            run(ledger.end_ticket(mine.number, by=ANN))
        run(ledger.return_entry(TARGET, alice, 1))
        for number in (mine.number, theirs.number):
            for _ in range(2):
                run(ledger.end_ticket(number, by=ANN))
        with pytest.raises(LookupError):
            run(ledger.end_ticket(99, by=ANN))
        assert values(run, ledger, alice, winner) == [[], []]
        assert spent(run, ledger, [alice, winner]) == [0, 0]
        (source,) = run(ledger.sources())
        assert source.balance == 5_000
        assert len(run(ledger.log_lines(LogQuery(verb="cashier.end_ticket")))) == 2
        assert run(ledger.enter(TARGET, alice, 2)) is False
        sound(run, ledger)

    def test_what_changed_tickets_is_among_the_transfers(self, run, ledger, alice):
        """A ticket that is given, one that pays an entry, and what comes back to the wallet."""
        mine = run(ledger.give_ticket(gift(alice), by=ANN))
        run(ledger.enter(TARGET, alice, 1))
        run(ledger.return_entry(TARGET, alice, 1))
        run(ledger.end_ticket(mine.number, by=ANN))
        assert moved(run, ledger, alice)[:-1] == [
            ("ticket_end", 0, -VALUE, "source:cash"),
            ("entry_return", 0, VALUE, f"escrow:{TARGET}"),
            ("entry", 0, -VALUE, f"escrow:{TARGET}"),
            ("ticket", 0, VALUE, "source:cash"),
        ]

    def test_a_ticket_pays_only_its_offer_at_its_price(self, run, ledger, alice):
        """Of several the first to expire; of another offer, or of another value, none."""
        later = run(ledger.give_ticket(replace(gift(alice, "g1"), days=40), by=ANN))
        first = run(ledger.give_ticket(gift(alice, "g2"), by=ANN))
        announced(run, ledger, "mon", VALUE)
        other = run(ledger.give_ticket(gift(alice, "g3", offer="mon"), by=ANN))
        announced(run, ledger, "sun", 299, number=2)
        cheap = run(ledger.give_ticket(gift(alice, "g4"), by=ANN))
        run(ledger.open_tournament(scheduled(3)))
        run(ledger.open_tournament(scheduled(4)))
        assert [run(ledger.enter(f"sun.{number}", alice, 1)) for number in (1, 3, 4)] == [True, True, False]
        assert [row.number for row in run(ledger.tickets(alice))] == sorted([other.number, cheap.number])
        run(ledger.return_entry(TARGET, alice, 1))
        assert first.number in [row.number for row in run(ledger.tickets(alice))]
        assert later.number not in [row.number for row in run(ledger.tickets(alice))]
        sound(run, ledger)

    def test_tickets_without_a_target_are_due(self, run, ledger, alice):
        """Of an offer that goes on, or has a tournament that has not ended, none is; its holder owns its value."""
        mine = run(ledger.give_ticket(gift(alice), by=ANN))
        assert run(ledger.tickets_due([])) == []
        run(ledger.cancel_tournament(TARGET))
        assert run(ledger.tickets_due([("sun", VALUE)])) == []
        for targets in ([], [("sun", Money(301))], [("mon", VALUE)]):
            assert run(ledger.tickets_due(targets)) == [mine.number]
        assert run(ledger.refill_state(alice)).owned == 10_300
        with pytest.raises(AccountInUse):
            run(ledger.delete_account(alice, "cash", by=ANN))
        run(ledger.end_ticket(mine.number, by=ANN))
        assert run(ledger.tickets_due([])) == []

    def test_an_expired_ticket_pays_nothing_and_is_due(self, run, ledger, alice):
        """From its last moment on."""
        mine = run(ledger.give_ticket(replace(gift(alice), days=0), by=ANN))
        assert run(ledger.enter(TARGET, alice, 1)) is False
        assert run(ledger.tickets_due([("sun", VALUE)])) == [mine.number]

    def test_a_ticket_pays_where_the_wallet_does_not(self, run, ledger, alice):
        """An account without money enters by its ticket, and not without one."""
        announced(run, ledger, "sun", 12_000, number=2)
        with pytest.raises(InsufficientBalance):
            run(ledger.enter("sun.2", alice, 1))
        run(ledger.fund_source("more", "cash", Money(20_000)))
        run(ledger.give_ticket(gift(alice), by=ANN))
        assert run(ledger.enter("sun.2", alice, 1)) is True
        assert spent(run, ledger, [alice]) == [0]
        sound(run, ledger)
