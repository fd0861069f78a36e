"""Registrars of several nodes over one ledger and one store, in memory, with faults on the way."""

from collections import deque

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import Opening, PlaceGiven, owned_as
from pokerroom.tournament.registrar import Registrar

SEATS = 3


def opening(number):
    """A tournament of three for 7.20."""
    return Opening(
        tournament=f"six.{number}",
        offer="six",
        number=number,
        seats=SEATS,
        buy_in=Money(300),
        fee=Money(60),
        prizes=(Money(500), Money(220)),
        terms=b"{}",
    )


class Slow:
    """A ledger whose calls wait in a queue until they are let through, or fail before or after they were done."""

    def __init__(self, store):
        self._store = store
        self.waiting = deque()
        self.held = False

    def __getattr__(self, name):
        method = getattr(self._store, name)

        def ask(*args):
            if not self.held:
                return method(*args)
            answer = Deferred()
            self.waiting.append((name, lambda: method(*args), answer))
            return answer

        return ask

    def let_one(self, *, lost=False):
        """Do the call that has waited longest; `lost`: its answer does not arrive."""
        name, work, answer = self.waiting.popleft()
        done = work()
        if lost:
            done.addErrback(lambda _: None)
            answer.errback(LedgerUnavailable("the answer is lost"))
        else:
            done.chainDeferred(answer)
        return name

    def refuse_one(self):
        """The call that has waited longest is never done."""
        _, _, answer = self.waiting.popleft()
        answer.errback(LedgerUnavailable("away"))


class Flaky(MemoryRegistrations):
    """Fails as often as it is told, before or after the change was made."""

    def __init__(self, books):
        super().__init__(books)
        self.failing = 0
        self.after = False

    def make(self, offer, decide):
        if self.failing:
            self.failing -= 1
            if self.after:
                super().make(offer, decide).addErrback(lambda _: None)
            return fail(TimeoutError("no answer"))
        return super().make(offer, decide)


class Nodes:
    """What the nodes share, and a registrar for each."""

    def __init__(self):
        self.clock = Clock()
        self.books = {}
        self.store = MemoryLedger(self.clock.seconds)

    def now_ms(self):
        return round(self.clock.seconds() * 1000)

    def node(self):
        """Another one: its registrar, its way to the ledger, and to the books."""
        ledger, registrations = Slow(self.store), Flaky(self.books)
        registrar = Registrar(
            offer="six",
            seats=SEATS,
            seats_per_address=2,
            opening=opening,
            ledger=ledger,
            registrations=registrations,
            clock=self.clock,
            now_ms=self.now_ms,
        )
        return registrar, ledger, registrations

    def accounts(self, run, number, opening_balance=1_000):
        return [
            run(self.store.create_account(f"p{n}", "hash", Money(opening_balance))).account
            for n in range(number)
        ]

    def players(self, run):
        """The accounts in each tournament that goes on, by the ledger."""
        return {row.opening.tournament: row.players for row in run(self.store.tournaments("six"))}

    def shown(self):
        """The accounts in each tournament, by the book; and who is only held a seat."""
        tournaments = self.books["six"].tournaments
        taken = {one.number: [*one.confirmed, *one.held] for one in tournaments}
        held = [account for one in tournaments for account in one.held]
        return taken, held


def played(run, ledger, number, *, opened=opening, names="p"):
    """The offer's tournament of this number, to its end in the ledger; its players' accounts, the best first."""
    new = opened(number)
    tournament = new.tournament
    players = [
        run(ledger.create_account(f"{names}{number}-{n}", "hash", Money(1_000))).account
        for n in range(new.seats)
    ]
    run(ledger.open_tournament(new))
    for account in players:
        run(ledger.enter(tournament, account, 1))
    epoch = run(ledger.take_table(owned_as(tournament), "a", 0))
    run(ledger.start_tournament(tournament, epoch, players, 1_500))
    prizes = [*new.prizes, *[0] * (new.seats - len(new.prizes))]
    for place in range(new.seats, 0, -1):
        given = PlaceGiven(place=place, account=players[place - 1], prize=Money(prizes[place - 1]))
        run(ledger.give_places(tournament, epoch, place, [given]))
    return players


def in_version_before(table, tournament):
    """The journal of a table from when it kept its tournament's state: before that had a journal of its own."""
    names = ("account", "time_bank_ms", "muck_losing")

    def facts(of):
        (state,) = [entry["state"] for entry in tournament]
        seats = [[seat[name] for name in names] for seat in of["seats"]["seats"]]
        return {**of, "seats": [in_version_1(state), seats]}

    return [{**one, "facts": facts(one["facts"])} if "facts" in one else one for one in table]


def in_version_1(state):
    """A tournament's plain data from when there was one table."""
    ((_, positions, hand, hands),) = state["tables"]
    players = [[account, seat, chips, away] for account, _, seat, chips, away in state["players"]]
    kept = {name: value for name, value in state.items() if name not in {"version", "tables"}}
    return {**kept, "players": players, "positions": positions, "hand": hand and hand[0], "hands": hands}
