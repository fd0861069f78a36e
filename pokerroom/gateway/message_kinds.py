"""Which messages of clients are handled alike: the session passes each kind to one part of the node."""

from __future__ import annotations

from typing import Final, get_args

from pokerroom_protocol import messages as wire

TABLE_MESSAGES: Final = (wire.Act, *get_args(wire.TableRequest))  # the most frequent one first
ACCOUNT_MESSAGES: Final = get_args(wire.AccountMessage)
SECURITY_MESSAGES: Final = get_args(wire.SecurityMessage)
PROTECTION_MESSAGES: Final = get_args(wire.ProtectionMessage)
HOSTING_MESSAGES: Final = get_args(wire.HostingMessage)
CLUB_MESSAGES: Final = get_args(wire.ClubMessage)
TOURNAMENT_MESSAGES: Final = get_args(wire.TournamentMessage)
LEAGUE_MESSAGES: Final = get_args(wire.LeagueMessage)
SHARING_MESSAGES: Final = get_args(wire.SharingMessage)
SERVICE_MESSAGES: Final = (
    *HOSTING_MESSAGES,
    *get_args(wire.TablePasswordMessage),
    *CLUB_MESSAGES,
    *SHARING_MESSAGES,
    *TOURNAMENT_MESSAGES,
    *LEAGUE_MESSAGES,
    *ACCOUNT_MESSAGES,
)

BRINGS_TO_PLAY: Final = (
    wire.JoinWaitlist,
    wire.ReserveSeat,
    wire.SitDown,
    wire.TakePlace,
    wire.RegisterSng,
    wire.RegisterTournament,
    wire.BuyRebuy,
    wire.BuyAddOn,
    wire.CreateTable,
    wire.CreateSitAndGo,
    wire.FindTable,
    wire.EnterTable,
    wire.AskSeat,
    wire.CreateClub,
    wire.JoinClub,
    wire.JoinClubTable,
    wire.Chat,
    wire.RequestDeposit,
    wire.Refill,
)
"""Refused at once for an excluded account. The ledger also refuses all that brings money to a game."""
