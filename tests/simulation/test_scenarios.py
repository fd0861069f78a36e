"""What the seeds play: how large their rooms are, and that nothing of what they are to cover has quietly gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from pokerroom.gateway.session import Session
from pokerroom.rules.ultimate.errors import Refusal
from pokerroom.simulation.checks.poker_referee import PokerReferee
from pokerroom.simulation.checks.viewers import AnswerChecker, CheckedViewer
from pokerroom.simulation.faults import ALL, NONE, Fault
from pokerroom.simulation.faulty_dependencies import FaultyObserver
from pokerroom.simulation.network import Connection
from pokerroom.simulation.run import run
from pokerroom.simulation.scenario import HANDS_PER_TABLE, WALLET, ClientHabit, is_large, scenario
from pokerroom.table.announcer import Announcer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.simulation.planted import plant

SEEDS_MAX = 60
"""Within so many seeds everything has happened."""
HANDS = 10

ELSEWHERE = {
    Code.FRAME_TOO_LARGE: "there are no frames: a connection carries whole messages",
    Code.BAD_ENCODING: "clients write with the protocol's own codec",
    Code.BAD_MESSAGE: "as above",
    Code.UNKNOWN_MESSAGE: "as above",
    **dict.fromkeys(
        (Code.UNKNOWN_HAND, Code.UNKNOWN_ROUND, Code.UNKNOWN_SOURCE, Code.KEY_USED, Code.TOO_MANY_REQUESTS),
        "what an account asks about itself comes to no table: see tests/gateway/test_account_side.py",
    ),
    Code.RECORD_ARCHIVED: "the ledger in memory has no archives: see tests/ledger/test_archives.py",
    **dict.fromkeys(
        (
            *(Code.ACCOUNT_IN_USE, Code.ACCOUNT_LOCKED, Code.EXCLUDED, Code.WALLET_NOT_EMPTY),
            Code.CHAT_MUTED,
        ),
        "accounts are there for the whole run: see tests/gateway/test_account_deletion.py and test_player_limits.py",
    ),
    Code.LOG_IN_DELAYED: "no client guesses passwords: see tests/gateway/test_passwords.py",
    Code.ADDRESS_SEATED: "only in tournaments: see tests/simulation/sit_and_gos/test_address_entries.py",
    Code.TOO_MANY_ACCOUNTS: "simulated clients have one account each: see tests/gateway/test_openings.py",
    Code.WEAK_PASSWORD: "simulated clients have good passwords: see tests/gateway/test_password_rules.py",
    **dict.fromkeys(
        (Code.SESSION_ENDED, Code.BAD_CODE, Code.CODE_NEEDED, Code.SECOND_FACTOR_ON),
        "simulated clients end no log-ins and have no second factor: see tests/gateway/test_account_security.py",
    ),
    **dict.fromkeys(
        (Code.NO_REFILL, Code.REFILL_NOT_NEEDED, Code.REFILL_TOO_SOON),
        "a refill comes to no table: see tests/gateway/test_account_service.py",
    ),
    Code.TOO_MANY_HAND_LINKS: "no client plays so many hands: see tests/ledger/contract_of_shared_hands.py",
    Code.STATISTICS_OFF: "every room shows statistics at tables: see tests/gateway/test_statistics.py",
    Code.TOO_MANY_PLAYER_NOTES: "no client meets so many players: see tests/ledger/contract_of_player_notes.py",
    Code.HOSTING_OFF: "every room has private tables: see tests/cluster/test_hosted_tables.py",
    Code.WRONG_TABLE_PASSWORD: "only some rooms have passwords: see tests/simulation/test_private_tables.py",
    Code.TOO_MANY_GUESTS: "a table does not last until it has so many: see tests/ledger/contract_of_hosted_tables.py",
    **dict.fromkeys(
        (
            Code.CLUBS_OFF,
            Code.UNKNOWN_CLUB,
            Code.UNKNOWN_CLUB_CODE,
            Code.TOO_MANY_CLUBS,
            Code.TOO_MANY_MEMBERS,
            Code.CLUB_ROLE_NEEDED,
            Code.UNKNOWN_MEMBER,
            Code.MEMBER_AT_TABLE,
            Code.CLUB_IN_USE,
        ),
        "only some rooms have clubs: see tests/simulation/test_clubs.py and tests/ledger/contract_of_clubs.py",
    ),
    **dict.fromkeys(
        (Code.WALLET_BUSY, Code.WALLET_REFUSED), "the money is the room's own: see tests/operator_wallet"
    ),
    Code.SETTINGS_NOT_OFFERED: "only some rooms bound what hosts choose: see tests/simulation/test_private_tables.py",
    Code.STAKES_TOO_HIGH: "hosts of a simulation change stakes a little: see tests/cluster/test_hosted_tables.py",
    Code.TOO_MANY_ATTEMPTS: "no client guesses links so often: see tests/cluster/test_hosted_secrecy.py",
    Code.UNKNOWN_LEAGUE: "simulated rooms have no leagues: see tests/gateway/test_leagues.py",
    Code.NAME_RESERVED: "nobody takes the name of a bot of the house",
    Code.WAITING_LIST: "in one process a free seat is held for who waits before anybody else can ask for it",
}
"""Codes that no client of a simulation is told, and why not."""

AGAINST_THE_HOUSE = {Code.WRONG_GAME, Code.NO_WAITING_LIST, Code.BETTING_CLOSED, Code.WRONG_ROUND} | {
    Code(refusal.value)
    for refusal in Refusal
    if refusal not in {Refusal.insufficient_balance, Refusal.cannot_check}
}
"""Simulated rooms have hold'em tables alone: neither these codes occur, nor the requests of the other game."""

OF_SIT_AND_GOS = {
    Code.UNKNOWN_OFFER,
    Code.UNKNOWN_TOURNAMENT,
    Code.REGISTRATION_CLOSED,
    Code.TOURNAMENT_FULL,
    Code.ALREADY_REGISTERED,
    Code.NOT_REGISTERED,
    Code.TOURNAMENT_NOT_FULL,
    Code.TOURNAMENT_NOT_RUNNING,
    Code.TOURNAMENT_PRIZES_WON,
    Code.TOURNAMENT_TABLE,
    Code.ENTRIES_USED_UP,
    Code.DEALS_NOT_OFFERED,
    Code.NO_FINAL_TABLE,
    Code.DEAL_IN_PROGRESS,
    Code.DEAL_MADE,
    Code.DEAL_PAUSED,
    Code.DEAL_TOO_SOON,
    Code.WRONG_DEAL_AMOUNT,
    Code.DEAL_PLAYER_AWAY,
    Code.CHIP_CHOP_TOO_LARGE,
    Code.NO_DEAL,
    Code.SALE_CLOSED,
    Code.PURCHASES_USED_UP,
    Code.PURCHASE_PENDING,
    Code.STACK_TOO_LARGE,
}
"""Nor do they offer sit-and-gos."""


class Seen:
    """What has happened in the runs since."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.codes: set[str] = set()
        self.requests: set[type[wire.Request]] = set()
        self.faults: Counter[Fault] = Counter()
        self._patch = monkeypatch
        self._hear(FaultyObserver, "refusal", lambda _, code: self.codes.add(code))
        self._hear(Session, "goodbye", lambda _, code: self.codes.add(code.value))
        self._hear(
            Connection, "_lost", lambda _, reason: self.codes.add(reason)
        )  # private: the reason goes no further
        self._hear(AnswerChecker, "reached", self._reached)

    def _hear(self, owner: type, name: str, ear: Any) -> None:
        real = getattr(owner, name)

        def heard(*args: Any) -> Any:
            ear(*args)
            return real(*args)

        self._patch.setattr(owner, name, heard)

    def _reached(
        self, _answers: AnswerChecker, _viewer: CheckedViewer, request: wire.Request, _at_s: float
    ) -> None:
        self.requests.add(type(request))

    def missing(self) -> set[Any]:
        """What has not happened yet."""
        elsewhere = {*ELSEWHERE, *AGAINST_THE_HOUSE, *OF_SIT_AND_GOS}
        codes = {code.value for code in Code if code not in elsewhere} - self.codes
        requests = {
            *get_args(wire.HoldemMessage),
            *get_args(wire.HostingMessage),
            *get_args(wire.SharingMessage),
            wire.GetSharedHand,
            wire.SetPlayerNote,
            wire.GetPlayerNotes,
            wire.GetStatistics,
            wire.GetOpponents,
            wire.ExportHands,
        } - self.requests
        requests -= {wire.CreateSitAndGo, wire.ChangeSitAndGo}  # see test_private_sit_and_gos.py beside
        return codes | requests | {fault for fault in Fault if not self.faults[fault]}


def rooms() -> Iterator[tuple[int, int]]:
    """Seeds that no other test runs, and their hands. The first have what is rare, in little time; then all others."""
    yield from ((seed, 15) for seed in (5_006, 5_016, 5_017, 5_023, 5_044, 5_050))
    yield from ((seed, 6) for seed in (5_007, 5_018, 5_021))
    yield from ((seed, HANDS) for seed in range(5_000, 5_000 + SEEDS_MAX))


@pytest.mark.slow  # what seeds reach changes with the simulation alone
def test_every_code_every_request_and_every_fault_occurs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of refusal and of goodbye, each request of the protocol, each kind of fault: within some seeds."""
    seen = Seen(monkeypatch)
    for seed, hands in rooms():
        seen.faults.update(run(seed, hands, ALL).faults)
        if not seen.missing():
            break
    assert not seen.missing()


def test_every_tenth_seed_is_a_large_room() -> None:
    """At least 200 people on at least 25 tables; most of the others are small."""
    large = [scenario(seed) for seed in range(60) if is_large(seed)]
    assert len(large) == 6
    assert min(len(plan.people) for plan in large) >= 200
    assert min(len(plan.config.tables) for plan in large) >= 25
    small = [len(scenario(seed).people) for seed in range(60) if not is_large(seed)]
    assert sorted(small)[len(small) // 2] < 60


@pytest.mark.slow
def test_a_large_room_plays_at_its_tables_though_few_hands_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One hand is asked for: as many as there are tables are played, and nearly all tables play."""
    tables: Counter[str] = Counter()

    def booked(real: Any, referee: PokerReferee, name: str, args: tuple[Any, ...], result: Any) -> None:
        tables.update(settlement.table for settlement in (args[0] if name == "settle" else []))
        real(referee, name, args, result)

    plant(monkeypatch, PokerReferee, "booked", booked)
    outcome = run(29, 1, NONE)
    count = len(scenario(29).config.tables)
    assert outcome.hands >= HANDS_PER_TABLE * count
    assert len(tables) > 0.8 * count


def test_people_are_rich_and_poor_and_some_have_no_account_yet() -> None:
    """Whoever has small change goes broke; those who are to keep each table going are rich, and behave."""
    people = scenario(9).people
    wallets = [person.accounts[0].wallet for person in people]
    assert any(wallet is not None and wallet < WALLET // 100 for wallet in wallets)
    assert None in wallets
    assert {manner for person in people for manner in person.habits} == set(ClientHabit)
    for table in scenario(9).config.tables:
        home = [person for person in people if person.wanted[:1] == (table.table,)]
        patient = [one for one in home if not one.habits and one.accounts[0].wallet == WALLET]
        assert len(patient) >= 2


def test_tables_are_closed_and_opened_in_some_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator is there by seed, and players are told what the operator does."""
    assert {scenario(seed).operated for seed in range(10)} == {True, False}
    notices: list[str] = []

    def noticed(real: Any, announcer: Announcer, state: Any, message: str) -> None:
        notices.append(state)
        real(announcer, state, message)

    plant(monkeypatch, Announcer, "notice", noticed)
    assert scenario(8).operated
    run(8, 60, NONE)
    assert {"closing", "running"} <= set(notices)
