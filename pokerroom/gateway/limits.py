"""The rate limit of a connection, and the other bounds of a session. Knows no connections."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from pokerroom_protocol import messages as wire

REFUSALS_AT_ONCE: Final = 100
REFUSALS_PER_S: Final = 10
"""[D] A connection that is over its rate is refused this often; then it is closed with `rate_limited`."""

STRANGER_FACTOR: Final = 4
"""The factor of an expensive request's price before the log-in."""

_LONG_ANSWERS: Final[dict[type[wire.ClientMessage], int]] = {
    wire.ListTables: 10,
    wire.Observe: 10,
    wire.GetSnapshot: 10,
}
"""Prices of expensive requests that are answered at once, in the turn of the reactor in which they are read."""

_DEAR: Final[dict[type[wire.ClientMessage], int]] = _LONG_ANSWERS | {
    wire.Register: 10,
    wire.LogIn: 10,
    wire.Resume: 5,
    wire.ListSitAndGos: 10,
    wire.ListTournaments: 10,
    wire.GetTickets: 10,
    wire.GetAccount: 10,
    wire.GetCashier: 20,
    wire.GetHand: 20,
    wire.ExportHands: 100,
    wire.GetHistory: 20,
    wire.GetRound: 20,
    wire.GetStandings: 20,
    wire.GetTournament: 10,
    wire.GetTournamentRanks: 10,
    wire.GetTournamentTables: 10,
    wire.GetLeagues: 10,
    wire.GetLeague: 100,
    wire.GetStatistics: 100,
    wire.GetOpponents: 100,
    wire.SetPlayerNote: 20,
    wire.GetPlayerNotes: 20,
    wire.Refill: 20,
    wire.RequestDeposit: 20,
    wire.RequestWithdrawal: 20,
    wire.GetSecurity: 20,
    wire.EndSessions: 20,
    wire.ChangePassword: 20,
    wire.MakeRecoveryCodes: 20,
    wire.BeginSecondFactor: 20,
    wire.ConfirmSecondFactor: 20,
    wire.EndSecondFactor: 20,
    wire.DeleteAccount: 20,
    wire.Recover: 10,
    wire.GetLimits: 20,
    wire.SetLimit: 20,
    wire.Exclude: 20,
    wire.CreateTable: 20,
    wire.CreateSitAndGo: 20,
    wire.FindTable: 20,
    wire.EnterTable: 20,
    wire.SetTablePassword: 100,
    wire.ShareHand: 20,
    wire.UnshareHand: 20,
    wire.GetHandLinks: 20,
    wire.GetSharedHand: 20,
    wire.GetHostedTables: 20,
    wire.GetTableResults: 20,
    wire.CreateClub: 20,
    wire.JoinClub: 20,
    wire.GetClubs: 20,
    wire.GetClub: 20,
    wire.SetClubCode: 20,
    wire.SetClubRole: 20,
    wire.CloseClub: 20,
    wire.JoinClubTable: 20,
    wire.GetClubResults: 100,
    wire.RemoveMember: 100,
    wire.LeaveClub: 100,
    wire.CloseClubTable: 100,
    wire.ChangeHostedTable: 100,
    wire.ChangeSitAndGo: 100,
    wire.ChangeStakes: 100,
    wire.RemovePlayer: 100,
    wire.AskSeat: 100,
    wire.AnswerSeat: 100,
    wire.GiveHost: 100,
    wire.GiveChips: 100,
    wire.MoveClubChips: 100,
    wire.ChangeSettings: 10,
    wire.GetSettings: 10,
    wire.RegisterSng: 20,
    wire.UnregisterSng: 20,
    wire.RegisterTournament: 20,
    wire.UnregisterTournament: 20,
    wire.BuyRebuy: 20,
    wire.BuyAddOn: 20,
    wire.DeclineRebuy: 20,
    wire.GetDeal: 10,
    wire.ProposeDeal: 20,
}
"""What a request costs beyond one message, in thousandths of `message_burst`: the time that it takes, by measure [D].

A host's order costs more: every node reads the table again, and every guest hears of it. All other requests cost one
message.
"""

_LOOK_UP: Final = 20
"""[D] The price of a look in the ledger for a table or a tournament that a node hides from the account, as above."""


def turn_units(message: wire.ClientMessage) -> int:
    """Return what a request costs of a turn of the node (`fair_turns`), beyond its bytes."""
    return _LONG_ANSWERS.get(type(message), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """What one connection may ask of the room."""

    frame_bytes_max: int
    messages_per_s: int
    message_burst: int
    idle_s: int
    connections_max: int

    def price(self, message: wire.ClientMessage, *, stranger: bool) -> int:
        """Return what a request costs beyond one message; `stranger`: its client is not logged in."""
        thousandths = _DEAR.get(type(message), 0)
        return thousandths * self.message_burst * (STRANGER_FACTOR if stranger else 1) // 1000

    @property
    def look_up_price(self) -> int:
        """What a request costs beyond that if the ledger is asked whether the account may know of what it names."""
        return _LOOK_UP * self.message_burst // 1000


class TokenBucket:
    """Allows `per_s` units on average and `at_once` together. Times are in seconds of one clock."""

    def __init__(self, per_s: int, at_once: int, now_s: float) -> None:
        self._per_s = per_s
        self._at_once = float(at_once)
        self._left = self._at_once
        self._counted_at = now_s

    def spent(self, units: int, now_s: float) -> bool:
        """Take units. Return True, and take none, if so many are not left."""
        earned = (now_s - self._counted_at) * self._per_s
        self._left = min(self._at_once, self._left + earned)
        self._counted_at = now_s
        if self._left < units:
            return True
        self._left -= units
        return False

    def left(self) -> int:
        """Return how many units were left at the last count."""
        return int(self._left)

    def wait_ms(self, units: int) -> int:
        """Return the time from the last count until so many units are left."""
        return ceil(max(0.0, units - self._left) * 1000 / self._per_s)
