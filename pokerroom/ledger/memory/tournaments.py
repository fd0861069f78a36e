"""Tournaments in memory: see `TournamentLedger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement, LedgerConflict
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.tickets import MemoryTickets
from pokerroom.ledger.memory.tournament_state import (
    GOES_ON,
    MemoryEntry,
    MemoryTournament,
    entry_legs,
    negative,
    unpaid,
)
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import (
    RETURNED_MAX,
    AlreadyEntered,
    DealRow,
    EntriesUsedUp,
    EntryOver,
    NotEntered,
    NotFull,
    NotRunning,
    Opening,
    Phase,
    PlaceGiven,
    PrizePaid,
    PrizesWon,
    RegistrationClosed,
    SeatChange,
    TournamentFull,
    TournamentRow,
    owned_as,
    table_number,
    table_of,
    tournament_at,
    tournament_owned_as,
)
from pokerroom.ledger.transfers import (
    Legs,
    bounties_code,
    entry_key,
    escrow_code,
    hand_key,
    place_key,
    return_key,
    tickets_code,
    whole,
)


class MemoryTournaments(MemoryTickets):
    """Tournaments in dictionaries (`TournamentLedger`). `now_s` is the ledger's clock."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._tournaments_played: dict[tuple[str, int], tuple[int, float]] = {}
        """(tournament, account) -> number in the history, and time."""

    # --- what there is --------------------------------------------------------------------------------------

    @fired
    def open_tournament(self, opening: Opening) -> None:
        self._open_tournament(opening)

    def _open_tournament(self, opening: Opening) -> None:
        pool = 0 if opening.scheduled else opening.seats * opening.part
        if sum(opening.prizes) != pool:
            raise LedgerConflict(f"the prizes of {opening.tournament} are not its pool")
        same, starts = (opening.offer, opening.number), opening.scheduled and opening.scheduled.starts_ms
        for other in self._tournaments.values():
            one = other.opening
            same_start = one.scheduled is not None and one.scheduled.starts_ms == starts
            if (
                one.offer == opening.offer
                and one != opening
                and ((one.offer, one.number) == same or same_start)
            ):
                raise LedgerConflict(
                    f"number {opening.number} of {opening.offer} is {other.opening.tournament}"
                )
        found = self._tournaments.setdefault(
            opening.tournament, MemoryTournament(opening=opening, opened_s=self._now_s())
        )
        if found.opening != opening:
            raise LedgerConflict(f"tournament {opening.tournament} was opened on other terms")
        self._balances.setdefault(escrow_code(opening.tournament), 0)
        if opening.bounty:
            self._balances.setdefault(bounties_code(opening.tournament), 0)

    @fired
    def tournament(self, tournament: str) -> TournamentRow:
        return self._found(tournament).row()

    @fired
    def entry_of(self, tournament: str, account: int) -> tuple[Phase, int | None]:
        found = self._found(tournament)
        entry = found.entry_of(account)
        return found.phase, None if entry is None else entry.number

    @fired
    def tournaments(self, offer: str, phase: Phase | None = None) -> list[TournamentRow]:
        phases = GOES_ON if phase is None else {phase}.intersection(GOES_ON)
        found = [t for t in self._tournaments.values() if t.opening.offer == offer and t.phase in phases]
        return [t.row() for t in sorted(found, key=lambda t: t.opening.number)]

    @fired
    def running_tournaments(self) -> list[str]:
        return self._in_phase("running")

    @fired
    def running_tables(self) -> list[str]:
        return [
            table_of(name, number)
            for name in self._in_phase("running")
            for number in sorted(self._tournaments[name].hands.keys() - self._tournaments[name].closed)
        ]

    @fired
    def tournaments_to_show(self) -> list[str]:
        left = {
            name
            for name, t in self._tournaments.items()
            if t.phase not in GOES_ON and name in self._owners and name not in self._over
        }
        return sorted(left)

    @fired
    def registering_tournaments(self) -> list[str]:
        return self._in_phase("registering")

    @fired
    def last_number(self, offer: str) -> int:
        numbers = [t.opening.number for t in self._tournaments.values() if t.opening.offer == offer]
        return max(numbers, default=0)

    # --- before the start -----------------------------------------------------------------------------------

    @fired
    def enter(self, tournament: str, account: int, number: int) -> bool:
        found = self._found(tournament)
        self._check_account(account)
        known = next((one for one in found.entries_of(account) if one.number == number), None)
        if known is not None:
            return known.ticket is not None
        late = found.takes_late_entries() and "entry" in found.on_sale and not is_private(tournament)
        if not late:
            _check_registering(found)
        self._check_invited(found, account)
        offer, scheduled = found.opening.offer, found.opening.scheduled
        filling = [] if scheduled else self._filling(offer)
        last = found.entry_of(account)
        if (last is not None and last.chips != 0) or any(t.entry_of(account) for t in filling):
            raise AlreadyEntered(f"account {account} has entered {offer}")
        if any(entry.number > number for entry in found.entries_of(account)):
            raise EntryOver(f"account {account} has entered again since")
        self._check_not_starting(found)
        if any(one.purchase.account == account and not one.given for one in found.purchases):
            raise AlreadyEntered(f"account {account} has bought a rebuy of {tournament}")
        if last is None and len(found.active()) >= found.opening.seats:
            raise TournamentFull(f"tournament {tournament} is full")
        bought = sum(not entry.returned for entry in found.entries_of(account))
        if scheduled and 0 < scheduled.entries_max <= bought:
            raise EntriesUsedUp(f"account {account} has used up its entries to {tournament}")
        if sum(entry.returned for entry in found.entries_of(account)) >= RETURNED_MAX:
            raise EntriesUsedUp(f"account {account} has left {tournament} too often")
        self._limits.check_play(account, found.opening.buy_in)
        entry = self._paid_entry(found, account, number, late=late)
        if last is not None:
            last.replaced = True
        found.add(entry)
        self._has_entered(found)
        return entry.ticket is not None

    def _paid_entry(self, found: MemoryTournament, account: int, number: int, *, late: bool) -> MemoryEntry:
        """Pay an entry, by a ticket if the account has one for it."""
        ticket = self._ticket_for(found.opening, account)
        legs = entry_legs(found, account, late=late, by_ticket=ticket is not None)
        key = entry_key(found.opening.tournament, account, number)
        self._write(key, "late_entry" if late else "entry", legs)
        entry = MemoryEntry(account=account, number=number, head=found.opening.bounty)
        if ticket is not None:
            entry.ticket, ticket.used = ticket.row.number, True
        return entry

    def _check_not_starting(self, found: MemoryTournament) -> None:
        start = found.opening.scheduled
        if (
            start is not None
            and found.phase == "registering"
            and start.starts_ms <= self._now_s() * 1000
            and len(found.active()) >= start.players_min
        ):
            raise RegistrationClosed(f"{found.opening.tournament} starts")

    def _filling(self, offer: str) -> list[MemoryTournament]:
        rows = self._tournaments.values()
        return [one for one in rows if one.opening.offer == offer and one.phase == "registering"]

    @fired
    def return_entry(self, tournament: str, account: int, number: int) -> None:
        self._return_entry(tournament, account, number)

    def _return_entry(self, tournament: str, account: int, number: int) -> None:
        found = self._found(tournament)
        key = return_key(tournament, account, number)
        if key in self._transfers:
            return
        _check_registering(found)
        self._check_not_starting(found)
        entry = next((e for e in found.active() if (e.account, e.number) == (account, number)), None)
        if entry is None:
            raise NotEntered(f"account {account} has no such entry in tournament {tournament}")
        paid = entry_legs(found, account, late=False, by_ticket=entry.ticket is not None)
        self._write(key, "entry_return", negative(paid))
        entry.returned, entry.head = True, 0
        self._free_tickets([entry])

    @fired
    def cancel_tournament(self, tournament: str) -> None:
        found = self._found(tournament)
        if found.phase == "cancelled":
            return
        _check_registering(found)
        self._write(f"sng:{tournament}:cancel", "cancellation", self._refunds(found, fees=0))
        self._free_tickets(found.active())
        for entry in found.active():
            entry.returned, entry.head = True, 0
        self._end_tournament(found, "cancelled")

    # --- while it runs --------------------------------------------------------------------------------------

    @fired
    def start_tournament(self, tournament: str, epoch: int, players: Sequence[int], stack: int) -> None:
        found, entered = self._found(tournament), self._found(tournament).active()
        scheduled = found.opening.scheduled
        if found.phase not in {"registering", "cancelled"}:
            seats = {entry.account: entry.seat for entry in entered}
            drawn = {account: number for number, account in enumerate(players, 1) if account}
            may_have_moved = any(found.hands.values()) or bool(found.closed)
            late = found.opening.scheduled is not None  # players may have come since
            accounts = seats.keys() >= drawn.keys() if late else seats.keys() == drawn.keys()
            same = accounts if may_have_moved else drawn.items() <= seats.items()
            if not same or found.stack != stack:
                self._check_owner(owned_as(tournament), epoch)
                raise LedgerConflict(f"{tournament} was started with another draw")
            return
        _check_registering(found)
        self._check_owner(owned_as(tournament), epoch)
        if len(entered) < (scheduled.players_min if scheduled else found.opening.seats):
            raise NotFull(f"{tournament} has {len(entered)} of {found.opening.seats} players")
        if sorted(account for account in players if account) != sorted(entry.account for entry in entered):
            raise LedgerConflict(f"the draw of {tournament} does not name its players")
        fees = len(entered) * found.opening.fee
        self._write(
            f"sng:{tournament}:start", "fees", whole([(escrow_code(tournament), -fees), ("fees", fees)])
        )
        for entry in entered:
            entry.seat = list(players).index(entry.account) + 1
            entry.chips = entry.chips_before = stack
            found.hands[table_and_seat(entry.seat)[0]] = 0
        found.phase, found.stack, found.started_s = "running", stack, self._now_s()

    @fired
    def move_players(self, tournament: str, epoch: int, moves: Sequence[SeatChange]) -> None:
        found = self._found(tournament)
        seats = {entry.account: entry.seat for entry in found.active()}
        if all(seats.get(move.account) == move.to for move in moves):
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        playing = found.playing()
        after = {account: entry.seat or 0 for account, entry in playing.items()}
        after |= {move.account: move.to for move in moves}
        tables = {table_and_seat(move.to)[0] for move in moves}
        if (
            len(after) != len(playing)
            or len(set(after.values())) != len(after)
            or len({move.account for move in moves}) != len(moves)
            or any(playing[move.account].seat != move.seat for move in moves)
            or not tables <= found.hands.keys() - found.closed
        ):
            raise LedgerConflict(f"a move of {tournament} is of another seat, or to one that is taken")
        for account, entry in playing.items():
            entry.seat = after[account]
        found.closed = found.hands.keys() - {table_and_seat(seat)[0] for seat in after.values()}

    @fired
    def give_places(
        self,
        tournament: str,
        epoch: int,
        best: int,
        places: Sequence[PlaceGiven],
        *,
        rolled_forward: bool = False,
    ) -> None:
        found = self._found(tournament)
        ending: Phase = "rolled_forward" if rolled_forward else "finished"
        worst = best + len(places) - 1
        if best in found.places:
            same = [found.places.get(best + n) for n in range(len(places))] == list(places)
            if not same or (best == 1 and found.phase != ending):
                self._check_owner(owned_as(tournament), epoch)
                raise LedgerConflict(f"place {best} of {tournament} was given differently")
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        last = len(found.active()) - len(found.places)
        if not found.prizes or best < 1 or worst != last or not places or (rolled_forward and best != 1):
            raise LedgerConflict(f"places {best} to {worst} of {tournament} are not the next ones")
        if not found.pays(best, places, early=rolled_forward):
            raise LedgerConflict(f"places {best} to {worst} of {tournament} have other prizes")
        if not all(1 <= given.place <= best + n for n, given in enumerate(places)):
            raise LedgerConflict(f"a tie of {tournament} begins behind its place")
        placed = {given.account for given in found.places.values()}
        new = [given.account for given in places]
        if len({*placed, *new}) != len(placed) + len(new) or not set(new) <= set(found.row().players):
            raise LedgerConflict(f"a place of {tournament} is for an account that does not play")
        found.places.update({best + n: given for n, given in enumerate(places)})
        self._note_played(tournament, new)
        if best == 1:
            self._end_tournament(found, ending)
        for given in places:
            won = given.prize + found.bounties_won(given.account)
            self._note_result(given.account, found.paid_by(given.account) - won)

    @fired
    def agree_deal(self, tournament: str, epoch: int, deal: DealRow) -> None:
        found = self._found(tournament)
        if found.deal == deal:
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        if found.deal is not None:
            raise LedgerConflict(f"another deal of {tournament} was made")
        left = found.playing()
        tables = [number for number in found.hands if number not in found.closed]
        stacks = {account: entry.chips for account, entry in left.items()}
        if (
            dict(zip(deal.accounts, deal.stacks, strict=True)) != stacks
            or len(deal.accounts) < 2
            or [found.hands[number] for number in tables] != [deal.hands]
            or len(found.places) + len(left) != len(found.active())
        ):
            raise LedgerConflict(f"a deal of {tournament} is not of its players left")
        unpaid = found.prizes[: len(left)]
        aside, most = deal.for_the_winner, sum(unpaid[:1]) - sum(unpaid[1:2])
        if (
            min(deal.amounts) < 0
            or not 0 <= aside <= most
            or sum(deal.amounts) + aside != sum(unpaid)
            or deal.proposer not in deal.accounts
        ):
            raise LedgerConflict(f"a deal of {tournament} is not its unpaid prizes")
        found.deal = deal

    @fired
    def pause_tournament(self, tournament: str, epoch: int, *, paused: bool) -> None:
        found = self._found(tournament)
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        found.paused = paused

    @fired
    def roll_back_tournament(self, tournament: str, epoch: int) -> None:
        found = self._found(tournament)
        if found.phase == "rolled_back":
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        if found.deal is not None or any(given.prize for given in found.places.values()):
            raise PrizesWon(f"a prize of {tournament} is won already")
        if found.bounties:
            raise PrizesWon(f"a bounty of {tournament} is won already")
        refunds = self._refunds(found, fees=found.fees())
        self._write(f"sng:{tournament}:roll_back", "roll_back", refunds)
        self._free_tickets(found.bought())
        for entry in found.entries:
            entry.head = 0
        self._end_tournament(found, "rolled_back")
        for given in found.places.values():  # without a prize: the buy-in is returned
            self._note_result(given.account, -found.paid_by(given.account))
        self._note_played(tournament, [entry.account for entry in found.active()])

    def _note_played(self, tournament: str, accounts: Iterable[int]) -> None:
        for account in accounts:
            if (tournament, account) not in self._tournaments_played:
                self._tournaments_played[tournament, account] = next(self._booked), self._now_s()

    def _played_by(self, account: int) -> list[str]:
        """The running tournaments in which the account has no place yet."""
        return [
            name
            for name, found in self._tournaments.items()
            if found.phase == "running"
            and found.entry_of(account) is not None
            and all(given.account != account for given in found.places.values())
        ]

    # --- hands --------------------------------------------------------------------------------------------------

    def _check_chips(self, hand: HandSettlement) -> None:
        """Raises LedgerConflict for a hand that is impossible in this tournament."""
        table, deltas = hand.table, hand.deltas
        found, number = self._tournaments[tournament_at(table)], table_number(table)
        playing = {
            account: entry.chips or 0
            for account, entry in found.playing().items()
            if table_and_seat(entry.seat or 0)[0] == number
        }
        if found.phase != "running":
            raise LedgerConflict(f"tournament {table} is not running")
        if sum(delta for _, delta in deltas):
            raise LedgerConflict(f"the changes of a hand at {table} do not sum to zero")
        for account, delta in deltas:
            if account not in playing:
                raise LedgerConflict(f"account {account} does not play {table}")
            if playing[account] + delta < 0:
                raise LedgerConflict(f"account {account} loses more chips than it has at {table}")
        if found.opening.bounty:
            left = {account for account, delta in deltas if playing[account] + delta}
            named = [out.account for out in hand.knockouts]
            out = [account for account, _ in deltas if account not in left]
            if sorted(named) != sorted(out) or not all(
                one.winners and len(set(one.winners)) == len(one.winners) and left.issuperset(one.winners)
                for one in hand.knockouts
            ):
                raise LedgerConflict(f"a hand at {table} does not say who won the head of one that is out")

    def _move_chips(self, hand: HandSettlement) -> None:
        found = self._tournaments[tournament_at(hand.table)]
        entries = {entry.account: entry for entry in found.active()}
        number = self._numbers[hand_key(hand.hand_id)]
        for account, delta in hand.deltas:
            entry = entries[account]
            assert entry.chips is not None
            entry.out_in = number if not entry.chips + delta else None
            entry.chips, entry.chips_before, entry.hands = entry.chips + delta, entry.chips, entry.hands + 1
        found.hands[table_number(hand.table)] += 1
        if found.opening.bounty:
            self._pay_heads(found, hand)

    def _in_chips(self, table: str) -> bool:
        """Whether the table is one of a tournament."""
        return tournament_at(table) in self._tournaments

    # --- owners -------------------------------------------------------------------------------------------------

    def _has_ended(self, table: str) -> bool:
        found = self._tournaments.get(tournament_owned_as(table) or tournament_at(table))
        if found is None:
            return False
        return found.phase not in GOES_ON or (
            tournament_owned_as(table) is None and table_number(table) in found.closed
        )

    # --- payouts --------------------------------------------------------------------------------------------

    @fired
    def pay_place(self, tournament: str, number: int) -> PrizePaid:
        found = self._found(tournament)
        given = found.places.get(number)
        if given is None:
            raise LookupError(f"place {number} of {tournament} is not given")
        key, ticket = place_key(tournament, number), found.opening.ticket
        if given.prize and number not in found.paid:
            legs = self._prize_legs(found, given)
            self._write(key, "prize", legs)
            found.paid.add(number)
            if ticket is not None and tickets_code(given.account) in dict(legs):
                self._add_ticket(key, given.account, ticket.offer, ticket.value, ticket.days)
        won = sum(one.row.value for one in self._tickets.values() if one.given == key)
        return PrizePaid(prize=given.prize, ticket=Money(won))

    @fired
    def unpaid_places(self) -> list[tuple[str, int]]:
        return sorted((name, number) for name, found in self._tournaments.items() for number in unpaid(found))

    def _is_owed_a_prize(self, account: int) -> bool:
        return any(
            found.places[number].account == account
            for found in self._tournaments.values()
            for number in unpaid(found)
        )

    def _bought_in(self, account: int, *, with_clubs: bool) -> int:
        """The buy-ins of an account in tournaments without a place of it, perhaps with those in chips of clubs."""
        return sum(
            one.paid_by(account)
            for one in self._tournaments.values()
            if one.phase in {"registering", "running"}
            and (with_clubs or one.club is None)
            and all(place.account != account for place in one.places.values())
        )

    # --- all of it ------------------------------------------------------------------------------------------

    def _found(self, tournament: str) -> MemoryTournament:
        if tournament not in self._tournaments:
            raise LookupError(f"there is no tournament {tournament}")
        return self._tournaments[tournament]

    def _in_phase(self, phase: Phase) -> list[str]:
        openings = [t.opening for t in self._tournaments.values() if t.phase == phase]
        return [o.tournament for o in sorted(openings, key=lambda o: (o.offer, o.number))]

    def _refunds(self, found: MemoryTournament, *, fees: int) -> Legs:
        bought, escrow = found.bought(), escrow_code(found.opening.tournament)
        paid = {entry.account: found.paid_by(entry.account) for entry in bought}
        by_ticket = Counter(entry.account for entry in bought if entry.ticket is not None)
        tickets = {account: found.opening.buy_in * number for account, number in by_ticket.items()}
        added = sum(found.fixed_prizes) - found.parts() if found.fixed_prizes else 0
        return whole(
            [
                (escrow, fees - added - sum(paid.values()) + found.opening.bounty * len(bought)),
                (bounties_code(found.opening.tournament), -found.opening.bounty * len(bought)),
                ("fees", -fees),
                ("bank", added),
                *(
                    (found.purse(account), amount - tickets.get(account, 0))
                    for account, amount in paid.items()
                ),
                *((tickets_code(account), amount) for account, amount in tickets.items()),
            ]
        )

    def _end_tournament(self, found: MemoryTournament, phase: Phase) -> None:
        found.phase, found.ended_s = phase, self._now_s()
        self._pay_own_heads(found)


def _check_registering(found: MemoryTournament) -> None:
    if found.phase != "registering":
        raise RegistrationClosed(f"{found.opening.tournament} is {found.phase}")
