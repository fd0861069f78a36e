"""Tournaments in the ledger: chips, blinds of their level, button (B1, B3, B4), places that come once, prizes.

With several tables also seats, moves (L4 to L6, L9), and tables that stay uneven. Follows what the ledger has done, and
the records of hands; knows no rules and no code that it judges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

import msgspec

from pokerroom.ledger.hosted_tables import private_offer
from pokerroom.ledger.tournaments import DealRow, table_number, tournament_at
from pokerroom.simulation.checks.blinds import Blinds, Waiting, blinds_of, expected, expected_first
from pokerroom.simulation.checks.chip_sales import ChipSales
from pokerroom.simulation.checks.deals import DealChecker
from pokerroom.simulation.checks.eliminations import Eliminations
from pokerroom.simulation.checks.hand_for_hand import HandForHand
from pokerroom.simulation.checks.level_settings import doubled, settings_at
from pokerroom.simulation.checks.results import ResultChecker
from pokerroom.simulation.checks.satellites import Satellite, satellite_of
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.short_tables import ShortTables
from pokerroom.simulation.checks.violation import Blame, Kind

STUCK_S: Final = 600.0
"""A tournament in which no hand ends for so long does not come to its end, breaks and pauses apart."""

PLACES_PAID: Final = ((4, 1), (7, 2), (10, 3), (20, 4))
"""So many places are paid up to so many entries (L11). Simulated fields are no larger."""

PERCENT_OF_PLACES: Final = {1: (100,), 2: (65, 35), 3: (50, 30, 20), 4: (40, 28, 19, 13)}
"""What each place gets of the pool (L11)."""

UNEVEN_S: Final = 300.0
"""Tables are even again after so long: a hand takes less, breaks and pauses apart."""


@dataclass(slots=True, kw_only=True)
class _Tournament:
    seats: int
    """Its players; of one that starts at a time those that have entered."""
    prizes: tuple[int, ...]
    scheduled: Any = None
    """What its opening says of its start, or nothing."""
    part: int = 0
    """What an entry brings to the prizes."""
    shares_bps: tuple[int, ...] = ()
    """Of the places, where the offer names them."""
    stack: int = 0
    entered: dict[tuple[int, int], bool] = field(default_factory=dict)
    """By account and number of an entry: whether it has a seat."""
    levels: list[CheckedSettings]
    """The settings of the table at each level."""
    chips: dict[int, int] = field(default_factory=dict)
    """By account, from the start on."""
    level: dict[int, int] = field(default_factory=dict)
    """Of the last hand, by table."""
    hands: set[str] = field(default_factory=set)
    placed: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number: account and prize."""
    table_seats: int = 0
    """0: all sit at one table."""
    seats_of: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By account: the table and the seat."""
    came: dict[int, bool] = field(default_factory=dict)
    """Accounts that have moved and were not dealt in since; True: to balance the tables."""
    fresh: set[int] = field(default_factory=set)
    """Those of them that may have come in the middle of the hand that is in progress."""
    blinds: dict[int, Blinds] = field(default_factory=dict)
    """Of the last hand, by table."""
    uneven_s: float | None = None
    """Since when the tables are too many, or too different."""
    closed_s: float = inf
    """When entries closed: a hand that was dealt before goes on, and players out have no places yet."""
    synced: HandForHand = field(default_factory=HandForHand)
    short: ShortTables = field(default_factory=ShortTables)
    frozen: set[int] = field(default_factory=set)
    """Tables that an operator has frozen: no player can come from them."""
    told_frozen: set[int] = field(default_factory=set)
    """Tables of which viewers are told so, by number."""
    terms: Mapping[str, Any] = field(default_factory=dict)
    deal: DealRow | None = None
    sales: ChipSales = field(default_factory=ChipSales)
    satellite: Satellite = field(default_factory=Satellite)
    eliminations: Eliminations = field(default_factory=Eliminations)
    ended: str = ""
    moved_s: float = 0.0
    """When anything happened last."""

    def at(self, table: int) -> dict[int, int]:
        """The chips of the players that are left at a table, by account."""
        return {
            account: chips
            for account, chips in self.chips.items()
            if chips and self.seats_of[account][0] == table
        }

    def sizes(self) -> Counter[int]:
        """How many players are left at each table."""
        return Counter(self.seats_of[account][0] for account, chips in self.chips.items() if chips)

    def uneven(self) -> bool:
        """Whether a table should be broken, or a player move."""
        sizes = self.sizes()
        least = -(-sizes.total() // self.table_seats) if self.table_seats else 1
        return len(sizes) > least or max(sizes.values()) - min(sizes.values()) > 1

    def reach(self, table: int, blinds: tuple[int, int]) -> bool:
        """B9: those of a level, and of none before that of the last hand; beyond the last one they double [D]."""
        while self.levels[-1].big_blind < blinds[1]:
            self.levels.append(doubled(self.levels[-1]))
        for number in range(self.level.get(table, 0), len(self.levels)):
            if (self.levels[number].small_blind, self.levels[number].big_blind) == blinds:
                self.level[table] = number
                return True
        return False


def _table_of(at: str) -> tuple[str, int]:
    """The tournament and the number of a table, by its id: `six.1-2` is the second of `six.1`."""
    offer, stop, numbers = at.rpartition(".")
    number, _, table = numbers.partition("-")
    return (offer + stop + number, int(table)) if table else (at, 1)


def _walk(after: int) -> list[int]:
    """The ten seats clockwise from the next one; `after` itself comes last."""
    return [(after + step - 1) % 10 + 1 for step in range(1, 11)]


class TournamentChecker:
    """See the module; `seconds` is virtual time."""

    def __init__(self, blame: Blame, seconds: Callable[[], float], results: ResultChecker) -> None:
        self._blame = blame
        self._results = results
        self._seconds = seconds
        self._all: dict[str, _Tournament] = {}
        self.deals = DealChecker()
        self.settled_count = 0
        """Hands."""

    @property
    def ended(self) -> int:
        """So many have come to their end."""
        return sum(bool(one.ended) for one in self._all.values())

    def running(self) -> list[str]:
        """Those that have started and not ended."""
        return [name for name, one in self._all.items() if one.chips and not one.ended]

    def bank(self, table: str) -> int | None:
        """All chips of a tournament with one table; None for what is none."""
        found = self._all.get(table)
        return None if found is None or found.table_seats else sum(found.chips.values())

    # --- what the ledger has done -------------------------------------------------------------------------------------

    def booked(self, name: str, args: tuple[Any, ...]) -> None:  # noqa: C901, PLR0912 -- one case per request
        """The ledger has done something, perhaps not for the first time."""
        match name:
            case "enter" if self._all[args[0]].scheduled:
                self._all[args[0]].entered.setdefault((args[1], args[2]), False)
            case "return_entry" if self._all[args[0]].scheduled:
                self._all[args[0]].entered.pop((args[1], args[2]), None)
            case "set_sales":
                self._all[args[0]].sales.on_sale = set(args[2])
            case "buy_chips":
                found, account = self._all[args[0]], args[1].account
                below = found.terms.get("rebuy_below")
                most = found.stack if below is None else below
                for line in found.sales.buys(
                    args[1], found.chips.get(account, 0), most, closed=bool(found.prizes)
                ):
                    self._wrong(Kind.CHIPS, args[0], f"{line} (L2)")
            case "add_chips":
                self._bought(args[0], args[2])
            case "seat_entries":
                self._seated(args[0], args[2])
            case "close_entries":
                self._closed(args[0], args[2], args[3])
            case "change_hosted_sit_and_go" if args[2] == "start":
                its = self._all[f"{private_offer(args[0])}.1"]
                its.scheduled = replace(its.scheduled, players_min=2)
            case "open_tournament" | "open_hosted_sit_and_go":
                opening = args[name == "open_hosted_sit_and_go"]
                terms = msgspec.json.decode(opening.terms)
                levels = [settings_at(terms, level) for level in terms["levels"]]
                known = _Tournament(
                    seats=opening.seats,
                    prizes=tuple(opening.prizes),
                    levels=levels,
                    table_seats=terms["seats_per_table"],
                    scheduled=opening.scheduled,
                    shares_bps=tuple(terms.get("prize_shares", ())),
                    part=opening.buy_in - opening.fee - opening.bounty,
                    terms=terms,
                    sales=ChipSales(terms={sale.kind: sale for sale in opening.sales}),
                    satellite=satellite_of(opening),
                    eliminations=Eliminations(shares=terms["hand_for_hand_ties"] == "share"),
                )
                self._all.setdefault(opening.tournament, known)
            case "start_tournament":
                self._started(*args)
            case "settle":
                for settlement in args[0]:
                    self._settled(settlement.table, settlement.hand_id, settlement.record)
            case "move_players":
                self._moved(args[0], args[2])
            case "agree_deal":
                self._agreed(args[0], args[2])
            case "give_places":
                self._placed(args[0], args[2], args[3])
            case "roll_back_tournament" if not self._all[args[0]].ended:
                found = self._all[args[0]]
                if any(prize for _, prize in found.placed.values()):
                    self._wrong(Kind.PLACES, args[0], "it was rolled back after a prize was won (I3)")
                found.ended = "rolled_back"
            case _:
                pass

    def _started(self, name: str, epoch: int, players: Sequence[int], stack: int) -> None:  # noqa: ARG002 -- the ledger's own
        found = self._all[name]
        drawn = {account: (n // 10 + 1, n % 10 + 1) for n, account in enumerate(players) if account}
        if found.scheduled and not found.chips:
            found.seats, found.stack = len(drawn), stack
            seated = {account for account, _ in found.entered}
            if seated != drawn.keys() or len(drawn) < found.scheduled.players_min:
                self._wrong(Kind.PLACES, name, f"{sorted(drawn)} start, entered are {sorted(seated)} (L1)")
            found.entered = dict.fromkeys(found.entered, True)
        if found.chips and not found.scheduled and list(found.chips) != list(drawn):
            self._wrong(Kind.PLACES, name, "its seats were drawn twice")
        if not found.chips:
            found.chips, found.seats_of = dict.fromkeys(drawn, stack), drawn
            if found.uneven():
                self._wrong(Kind.PLACES, name, f"its tables are uneven at the start: {drawn} (L3)")
            found.moved_s = self._seconds()

    def _bought(self, name: str, purchases: Sequence[Any]) -> None:
        """L2: chips of a rebuy or an add-on come once, between hands; a player that was out plays on."""
        found = self._all[name]
        chips, wrong = found.sales.gives(purchases)
        for line in wrong:
            self._wrong(Kind.CHIPS, name, f"{line} (L2)")
        for account, more in chips.items():
            found.chips[account] = found.chips.get(account, 0) + more
        found.moved_s = self._seconds()
        self._even(found)

    def _seated(self, name: str, seats: Sequence[Any]) -> None:
        """L1 to L3: a late entry, or one of a player who is out, gets a full stack in a free seat, once."""
        found = self._all[name]
        if all(found.entered.get((one.account, one.number)) for one in seats):
            return  # said again
        for one in seats:
            if found.entered.get((one.account, one.number)) is not False or found.prizes:
                self._wrong(Kind.PLACES, name, f"{one} is no late entry, or entries were closed (L1)")
            if found.chips.get(one.account):
                self._wrong(Kind.PLACES, name, f"account {one.account} has chips, and enters again (L2)")
            found.entered[one.account, one.number] = True
            found.seats += one.account not in found.chips
            found.chips[one.account] = found.stack
            found.seats_of[one.account] = ((one.seat - 1) // 10 + 1, (one.seat - 1) % 10 + 1)
            found.came[one.account] = False
            found.fresh.add(one.account)
        taken = [found.seats_of[account] for account, chips in found.chips.items() if chips]
        if len(set(taken)) != len(taken):
            self._wrong(Kind.PLACES, name, f"two players have one seat after {seats}")
        found.moved_s = self._seconds()
        self._even(found)

    def _closed(self, name: str, entries: int, prizes: Sequence[int]) -> None:
        """L11, L12: the prizes are those of all entries, and the guarantee at least; they never change."""
        found = self._all[name]
        if found.prizes:
            if found.prizes != tuple(prizes):
                self._wrong(Kind.PLACES, name, f"the prizes were {found.prizes}, and are {prizes}")
            return
        pool = found.part * len(found.entered) + found.sales.brought
        due = max(found.scheduled.guarantee, pool)
        if not all(found.sales.bought.values()):
            self._wrong(
                Kind.CHIPS, name, f"entries were closed before all chips came: {found.sales.bought} (L2)"
            )
        if len(found.entered) != entries or not all(found.entered.values()):
            self._wrong(Kind.PLACES, name, f"{entries} entries were closed, of {found.entered} (L1)")
        if found.satellite.value:
            self._satellite(name, found.satellite.closed(pool, found.chips, prizes))
            found.satellite.left(found.chips, self._seconds())
        elif sum(prizes) != due or len(prizes) > len(found.chips):
            self._wrong(Kind.PLACES, name, f"the prizes {prizes} are not the pool {due} (L11, L12)")
        if list(prizes) != sorted(prizes, reverse=True):
            self._wrong(Kind.PLACES, name, f"a worse place has a larger prize: {prizes} (L11)")
        table = _prize_table(due, entries, len(found.chips), found.shares_bps)
        if table is not None and tuple(prizes) != table and not found.satellite.value:
            self._wrong(Kind.PLACES, name, f"the prizes are {prizes}, by the prize table {table} (L11)")
        found.prizes, found.closed_s = tuple(prizes), self._seconds()
        found.moved_s = self._seconds()

    def _moved(self, name: str, moves: Sequence[Any]) -> None:
        """L4, L5, L9: players with chips go to free seats, so that the tables become fewer or more even."""
        found = self._all[name]
        to = {move.account: ((move.to - 1) // 10 + 1, (move.to - 1) % 10 + 1) for move in moves}
        if all(found.seats_of[account] == place for account, place in to.items()):
            return  # said again
        before, tables = dict(found.seats_of), {found.seats_of[account][0] for account in to}
        if len(to) != len(moves) or not all(found.chips[account] for account in to):
            self._wrong(Kind.PLACES, name, f"a player moves twice, or without chips: {moves}")
        sizes = found.sizes()
        found.seats_of |= to
        taken = [found.seats_of[account] for account, chips in found.chips.items() if chips]
        if len(set(taken)) != len(taken):
            self._wrong(Kind.PLACES, name, f"two players have one seat after {moves}")
        gone = tables - {table for table, _ in taken}
        # while entries are open, a table that is broken into the last one draws no final table (L9)
        closed = bool(found.prizes)
        final = closed and {table for table, _ in taken} == {1} and len(sizes) > 1
        if not gone and not final:
            ((account, (new, _)),) = to.items() if len(to) == 1 else [(0, (0, 0))]
            if not account or sizes[before[account][0]] - sizes[new] < 2:
                self._wrong(Kind.PLACES, name, f"{to} balances nothing, the tables had {dict(sizes)} (L5)")
        for account in to:
            found.came[account] = not gone
            found.fresh.add(account)
        if final:
            found.came.clear()
            found.fresh.clear()
            found.blinds.clear()
            self._results.drawn(name)
        self._even(found)

    def _even(self, found: _Tournament) -> None:
        found.uneven_s = (found.uneven_s or self._seconds()) if found.uneven() else None
        self._short(found)

    def _short(self, found: _Tournament) -> None:
        frozen = found.frozen | found.told_frozen
        sizes = {table: size for table, size in found.sizes().items() if table not in frozen}
        found.short.noted(sizes, self._seconds())

    def _settled(self, at: str, hand_id: str, record: bytes) -> None:
        name, table = _table_of(at)
        found = self._all.get(name)
        if found is None or hand_id in found.hands:
            return
        found.hands.add(hand_id)
        found.moved_s = self._seconds()
        self.settled_count += 1
        said = msgspec.json.decode(record)
        before = {seat["account"]: seat["stack"] for seat in said["seats"]}
        alive = found.at(table)
        for account in alive.keys() & found.came.keys() - before.keys():
            del alive[account]  # it waits (L6)
        if found.ended or not found.chips:
            self._wrong(Kind.HAND, name, f"hand {hand_id} was played before the start or after the end")
        if before != alive:
            self._wrong(Kind.CHIPS, name, f"hand {hand_id} began with {before}, its players have {alive}")
        total = sum(found.chips.values())
        found.chips.update({seat["account"]: seat["end"] for seat in said["seats"]})
        if sum(found.chips.values()) != total or min(found.chips.values()) < 0:
            self._wrong(Kind.CHIPS, name, f"hand {hand_id} leaves {found.chips}, there were {total}")
        self._satellite(name, found.satellite.settled(said))
        found.satellite.left(found.chips, self._seconds())
        synced = found.synced.may_have(said["started_ms"]) or found.frozen or found.told_frozen
        found.eliminations.settled(table, said["seats"], alone=not synced)
        placed = {account for account, _ in found.placed.values()}
        out = {account for account, chips in found.chips.items() if not chips} - before.keys()
        waits = bool(found.scheduled) and said["started_ms"] <= 1000 * found.closed_s
        if (
            not waits and any(found.seats_of[account][0] == table for account in out - placed)
        ) or placed & before.keys():
            self._wrong(
                Kind.PLACES, name, f"hand {hand_id} was dealt before all eliminated players had their places"
            )
        blinds = said["small_blind"], said["big_blind"]
        if not found.reach(table, blinds):
            self._wrong(
                Kind.TIMEOUT,
                name,
                f"hand {hand_id} has the blinds {blinds}, after level {found.level.get(table, 0)}",
            )
        self._check_button(name, table, found, said)
        self._check_waiting(name, table, found, said["started_ms"])
        for account in before:
            found.came.pop(account, None)
        found.fresh -= {account for account, place in found.seats_of.items() if place[0] == table}
        self._even(found)
        self._results.settled(found.levels[found.level.get(table, 0)], hand_id, said)

    def _check_button(self, name: str, table: int, found: _Tournament, record: dict[str, Any]) -> None:
        """B1, B3, B4: the first seat has the first button, then the rule of the dead button; all are dealt in (H5).

        At a table that has opened late seat 1 may be empty: then it is the next one.
        """
        last, now = found.blinds.get(table), blinds_of(record, found.blinds.get(table))
        dealt = frozenset(seat["seat"] for seat in record["seats"])
        if now is None:
            return  # told by another checker
        found.blinds[table] = now
        seats_max = 10 if found.table_seats else found.seats
        there = {account for account, place in found.seats_of.items() if place[0] == table}
        players = there - {account for account in found.fresh if found.seats_of[account][1] not in dealt}
        came = {found.seats_of[account][1]: found.came[account] for account in players & found.came.keys()}
        if last is None:
            due = expected_first(min(dealt), dealt, seats_max)
        elif came:
            self._check_movers(name, last, now, came, record)
            return
        else:
            due = expected(last, Waiting(seats=dealt), seats_max, moving=False)
        if now != due.blinds:
            line = f"after {last or 'the start'} come {now}, not {due.blinds} (B1, B3, B4)"
            self._blame(Kind.BLINDS, name, record["hand_id"], line)

    def _check_waiting(self, name: str, table: int, found: _Tournament, started_ms: int) -> None:
        """L7, L8: a table waits for a player if it is short, and for the others in hand-for-hand."""
        if (short := found.short.dealt(table, started_ms / 1000)) is not None:
            self._wrong(Kind.PLACES, name, f"{short} (L7)")
        found.synced.paid = found.satellite.seats or len(found.prizes)
        found.synced.final_seats = found.table_seats + (found.table_seats in {6, 8})
        sizes = found.sizes()
        wrong = found.synced.dealt(table, started_ms, sizes)
        found.synced.left(
            sizes.values(), 1000 * self._seconds(), is_frozen=bool(found.frozen or found.told_frozen)
        )
        if wrong is not None:
            self._wrong(Kind.PLACES, name, f"{wrong} (L8)")

    def _check_movers(
        self, name: str, last: Blinds, now: Blinds, came: Mapping[int, bool], record: dict[str, Any]
    ) -> None:
        """L6: the blinds go on as ever; one that came has no cards between button and small blind, or as that."""
        dealt = {seat["seat"] for seat in record["seats"]}
        seats = dealt | came.keys()
        big = next(seat for seat in _walk(last.big) if seat in seats)
        if now.big != big:
            line = f"the big blind is {now.big}, after {last} it is {big}: {sorted(seats)} (L6)"
            self._blame(Kind.BLINDS, name, record["hand_id"], line)
        if len(dealt) == 2 or now.small != last.big:
            return
        way = _walk(last.small)
        stayed = [seat for seat in way[: way.index(last.big)] if seat in dealt - came.keys()]
        button = stayed[-1] if stayed else last.small
        if big in way[way.index(last.big) :] and big != last.small and now.button != button:
            line = f"the button is {now.button}, after {last} it is {button}: {sorted(seats)} (B3, L6)"
            self._blame(Kind.BLINDS, name, record["hand_id"], line)
        between = _walk(now.button)[: _walk(now.button).index(now.small)]
        for seat, balanced in came.items():
            waits = seat in between or (seat == now.small and balanced)
            if seat != now.big and waits == (seat in dealt):
                line = f"the player that came to {seat} {'waits not' if waits else 'waits'}: {now} (L6)"
                self._blame(Kind.BLINDS, name, record["hand_id"], line)

    def _placed(self, name: str, best: int, places: Sequence[Any]) -> None:
        found = self._all[name]
        given = {best + n: (place.account, int(place.prize)) for n, place in enumerate(places)}
        if all(found.placed.get(number) == what for number, what in given.items()):
            return  # said again
        if any(number in found.placed for number in given):
            self._wrong(Kind.PLACES, name, f"places {sorted(given)} are given again, otherwise")
        if found.scheduled and not found.prizes:
            self._wrong(Kind.PLACES, name, f"places {sorted(given)} are given while entries are open (L2)")
        accounts = [account for account, _ in (*found.placed.values(), *given.values())]
        if len(set(accounts)) != len(accounts):
            self._wrong(Kind.PLACES, name, "a player has two places")
        if sorted((*found.placed, *given)) != list(range(min(given), found.seats + 1)):
            self._wrong(Kind.PLACES, name, f"places {sorted(given)} are not next")
        found.placed.update(given)
        found.moved_s = self._seconds()
        self._check_prizes(name, found, best, places)
        if best != 1:
            wrong = [account for account, _ in given.values() if found.chips[account]]
            if wrong:
                self._wrong(Kind.PLACES, name, f"{wrong} have places, and chips")
            return
        found.ended = "over"
        self._satellite(name, found.satellite.over(places, found.chips))
        prizes = sum(prize for _, prize in found.placed.values())
        if prizes != sum(found.prizes):
            self._wrong(Kind.PLACES, name, f"prizes come to {prizes}, the pool is {sum(found.prizes)}")

    def _agreed(self, name: str, deal: DealRow) -> None:
        """L15: once, at the only table, with places for all who are out."""
        found = self._all[name]
        if found.deal == deal:
            return  # said again
        left = {account: chips for account, chips in found.chips.items() if chips}
        if found.deal is not None or len(found.sizes()) != 1 or found.ended:
            self._wrong(Kind.DEAL, name, f"{deal} is made, before it was {found.deal} (L15)")
        if len(found.placed) + len(left) != found.seats:
            self._wrong(Kind.DEAL, name, f"{deal} is made, and not all players that are out have places")
        for line in self.deals.wrong(name, deal, found.terms, left, found.prizes):
            self._wrong(Kind.DEAL, name, f"{line} (L15)")
        found.deal, found.moved_s = deal, self._seconds()

    def _check_prizes(self, name: str, found: _Tournament, best: int, places: Sequence[Any]) -> None:
        """I2, L8, L15: of a deal each player gets the own amount, and the winner what was left as well."""
        deal = found.deal
        if deal is None:
            if not found.satellite.value:
                for line in found.eliminations.wrong(best, places, found.prizes):
                    self._wrong(Kind.PLACES, name, line)
            return
        own = dict(zip(deal.accounts, deal.amounts, strict=True))
        aside = deal.for_the_winner
        over = sum(chips > 0 for chips in found.chips.values()) == 1 or not aside
        for number, place in enumerate(places, best):
            due = own.get(place.account, 0) + (aside if number == 1 else 0)
            if place.account in own and over and int(place.prize) != due:
                line = f"account {place.account} gets {place.prize}, by {deal} it is {due} (L15)"
                self._wrong(Kind.DEAL, name, line)

    # --- time ---------------------------------------------------------------------------------------------------------

    def frozen(self, name: str) -> None:
        """Note that an operator freezes the first table: it makes no other wait (L7)."""
        self._all[name].frozen.add(1)
        self._short(self._all[name])

    def thawed(self, name: str) -> None:
        """Note that all tables go on."""
        self._all[name].frozen.clear()
        self._short(self._all[name])

    def told_frozen(self, table: str, *, is_frozen: bool) -> None:
        """Note what viewers are told of a table that a fault has frozen, or that goes on."""
        found = self._all.get(tournament_at(table))
        if found is not None:
            (found.told_frozen.add if is_frozen else found.told_frozen.discard)(table_number(table))
            self._short(found)

    def look(self, outage_until_s: float, paused: Mapping[str, object]) -> None:
        """Every tournament comes to its end."""
        now = self._seconds()
        for name in self.running():
            found = self._all[name]
            if name in paused:
                found.moved_s = now
            if now - max(found.moved_s, outage_until_s) > STUCK_S:
                found.moved_s = now
                self._wrong(Kind.PROGRESS, name, f"no hand has ended for {STUCK_S:.0f} s")
            if found.uneven_s is not None and now - max(found.uneven_s, outage_until_s) > UNEVEN_S:
                found.uneven_s = now
                if name not in paused:
                    self._wrong(Kind.PROGRESS, name, f"its tables are uneven for {UNEVEN_S:.0f} s")

    def _satellite(self, name: str, lines: Iterable[str]) -> None:
        for line in lines:
            self._wrong(Kind.PLACES, name, f"{line} (L14)")

    def _wrong(self, kind: Kind, name: str, line: str) -> None:
        self._blame(kind, name, "", line)


def _prize_table(pool: int, entries: int, players: int, shares_bps: Sequence[int]) -> tuple[int, ...] | None:
    """L11: the prizes by the shares of the offer, or by the regular table; None for more entries than it has here."""
    if not pool:
        return (0,)  # free entries (I1)
    if 0 < len(shares_bps) <= players:
        shares = [pool * share // 10_000 for share in shares_bps]
    else:
        places = next((places for most, places in PLACES_PAID if entries <= most), None)
        if places is None:
            return None
        shares = [pool * percent // 100 for percent in PERCENT_OF_PLACES[min(places, players)]]
    left = pool - sum(shares)
    return tuple(share + (place < left) for place, share in enumerate(shares))
