"""The whole contract of the ledger, for the parts that pass it on."""

from __future__ import annotations

from typing import Protocol

from pokerroom.ledger.account_history import AccountHistoryLedger
from pokerroom.ledger.account_standing import StandingLedger
from pokerroom.ledger.adjustments import AdjustmentLedger
from pokerroom.ledger.announcements import AnnouncementLedger
from pokerroom.ledger.cashier import CashierLedger
from pokerroom.ledger.clubs import ClubLedger
from pokerroom.ledger.credentials import CredentialLedger
from pokerroom.ledger.day_reports import DayReportLedger
from pokerroom.ledger.hosted_sit_and_gos import HostedSitAndGoLedger
from pokerroom.ledger.hosted_tables import HostedTableLedger
from pokerroom.ledger.leagues import LeagueLedger
from pokerroom.ledger.limits import LimitLedger
from pokerroom.ledger.offers import OfferLedger
from pokerroom.ledger.operated_clubs import OperatedClubLedger
from pokerroom.ledger.operator_log import OperatorLog
from pokerroom.ledger.operators import OperatorAccounts
from pokerroom.ledger.order_keys import OrderKeyLedger
from pokerroom.ledger.player_notes import PlayerNoteLedger
from pokerroom.ledger.rake import RakeLedger
from pokerroom.ledger.shared_hands import SharedHandLedger
from pokerroom.ledger.statistics import StatisticsLedger
from pokerroom.ledger.tournaments import TournamentLedger


class WholeLedger(
    TournamentLedger,
    AccountHistoryLedger,
    AdjustmentLedger,
    AnnouncementLedger,
    CashierLedger,
    ClubLedger,
    CredentialLedger,
    DayReportLedger,
    HostedSitAndGoLedger,
    HostedTableLedger,
    LeagueLedger,
    LimitLedger,
    PlayerNoteLedger,
    RakeLedger,
    SharedHandLedger,
    StandingLedger,
    StatisticsLedger,
    OperatedClubLedger,
    OperatorAccounts,
    OperatorLog,
    OfferLedger,
    OrderKeyLedger,
    Protocol,
):
    """What both adapters implement."""
