"""Translates violated constraints of the schema into the exceptions of `ledger.api`.

Only the name of a constraint counts, never the text of a message.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import psycopg

from pokerroom.ledger.account_standing import AccountInUse, AccountLocked, Excluded, WalletNotEmpty
from pokerroom.ledger.adjustments import FourEyesNeeded, OperatorNeeded, ProposalExpired, SameOperator
from pokerroom.ledger.announcements import TooManyAnnouncements, UnknownAnnouncedTable, UnknownAnnouncement
from pokerroom.ledger.api import (
    AlreadySeated,
    BankEmpty,
    BetsNotCovered,
    InsufficientBalance,
    LedgerConflict,
    LedgerRefusal,
    NameTaken,
    NotOwner,
    NotSeated,
    SeatOccupied,
    TooManyTables,
)
from pokerroom.ledger.archives import RecordsArchived
from pokerroom.ledger.cashier import (
    CashDecided,
    CashKeyUsed,
    RefillNotNeeded,
    RefillTooSoon,
    SourceEmpty,
    TooManyRequests,
    UnknownSource,
)
from pokerroom.ledger.chip_sales import PurchasePending, PurchasesUsedUp, SaleClosed, StackTooLarge
from pokerroom.ledger.clubs import (
    ClubInUse,
    ClubKeyUsed,
    ClubRoleNeeded,
    MemberAtTable,
    TooManyClubs,
    TooManyMembers,
    UnknownClub,
    UnknownClubCode,
    UnknownMember,
)
from pokerroom.ledger.credentials import PasswordChanged, SessionOver
from pokerroom.ledger.hosted_sit_and_gos import NotInvited
from pokerroom.ledger.hosted_tables import (
    GiftKeyUsed,
    HostedTableClosing,
    NotHost,
    SeatNotAccepted,
    StakesTooHigh,
    TooManyGuests,
    TooManyHostedTables,
    UnknownGuest,
    UnknownHostedTable,
    UnknownLink,
    WrongTablePassword,
)
from pokerroom.ledger.limits import LimitReached
from pokerroom.ledger.operator_wallet import (
    UnknownWalletTransfer,
    WalletBusy,
    WalletInUse,
    WalletLinked,
    WalletPlayerTaken,
    WalletRefused,
)
from pokerroom.ledger.player_notes import TooManyPlayerNotes, UnknownPlayer
from pokerroom.ledger.shared_hands import TooManyHandLinks, UnknownHand
from pokerroom.ledger.tickets import NoTicketTarget, TicketUsed
from pokerroom.ledger.tournaments import (
    AlreadyEntered,
    EntriesUsedUp,
    EntryOver,
    NotEntered,
    NotFull,
    NotRunning,
    OtherEntries,
    PrizesWon,
    RegistrationClosed,
    TournamentFull,
)
from pokerroom.ledger.webhooks import TooManyWebhooks, UnknownWebhook

REFUSALS: Final[dict[str, type[LedgerRefusal]]] = {
    "account_name_is_unique": NameTaken,
    "balance_is_not_negative": InsufficientBalance,
    "seat_has_one_holder": SeatOccupied,
    "account_has_one_seat": AlreadySeated,
    "account_has_seat": NotSeated,
    "account_has_seats_left": TooManyTables,
    "bank_holds_it": BankEmpty,
    "tournament_takes_entries": RegistrationClosed,
    "account_is_entered_once": AlreadyEntered,
    "entry_is_the_last": EntryOver,
    "tournament_has_seats": TournamentFull,
    "account_is_entered": NotEntered,
    "entries_are_left": EntriesUsedUp,
    "entries_are_as_before": OtherEntries,
    "chips_are_on_sale": SaleClosed,
    "purchases_are_left": PurchasesUsedUp,
    "purchase_is_given": PurchasePending,
    "stack_is_small": StackTooLarge,
    "ticket_has_a_target": NoTicketTarget,
    "ticket_is_unused": TicketUsed,
    "tournament_is_full": NotFull,
    "tournament_is_running": NotRunning,
    "no_prize_is_won": PrizesWon,
    "adjustment_has_two_operators": SameOperator,
    "cash_has_two_operators": FourEyesNeeded,
    "adjustment_has_operators": OperatorNeeded,
    "adjustment_is_recent": ProposalExpired,
    "source_is_open": UnknownSource,
    "source_holds_it": SourceEmpty,
    "cash_key_is_used_once": CashKeyUsed,
    "cash_requests_are_few": TooManyRequests,
    "refill_is_needed": RefillNotNeeded,
    "refill_is_due": RefillTooSoon,
    "password_is_current": PasswordChanged,
    "session_has_not_ended": SessionOver,
    "account_is_not_locked": AccountLocked,
    "account_is_at_rest": AccountInUse,
    "wallet_is_empty": WalletNotEmpty,
    "hosted_tables_are_few": TooManyHostedTables,
    "hosted_code_is_valid": UnknownLink,
    "table_password_is_right": WrongTablePassword,
    "hosted_guests_are_few": TooManyGuests,
    "hosted_table_is_known": UnknownHostedTable,
    "account_is_invited": NotInvited,
    "host_gives_orders": NotHost,
    "hosted_table_stays_open": HostedTableClosing,
    "stakes_rise_slowly": StakesTooHigh,
    "guest_is_known": UnknownGuest,
    "seat_is_accepted": SeatNotAccepted,
    "club_is_known": UnknownClub,
    "club_code_is_valid": UnknownClubCode,
    "clubs_are_few": TooManyClubs,
    "club_members_are_few": TooManyMembers,
    "club_role_is_held": ClubRoleNeeded,
    "member_is_known": UnknownMember,
    "member_is_at_rest": MemberAtTable,
    "club_is_at_rest": ClubInUse,
    "club_key_is_used_once": ClubKeyUsed,
    "gift_key_is_used_once": GiftKeyUsed,
    "noted_player_exists": UnknownPlayer,
    "player_notes_are_few": TooManyPlayerNotes,
    "shared_hand_was_played": UnknownHand,
    "shared_hands_are_few": TooManyHandLinks,
    "wallet_debit_is_alone": WalletBusy,
    "wallet_has_not_refused": WalletRefused,
    "wallet_account_has_one_player": WalletLinked,
    "wallet_player_has_one_account": WalletPlayerTaken,
    "wallet_is_at_rest": WalletInUse,
    "wallet_transfer_exists": UnknownWalletTransfer,
    "webhook_exists": UnknownWebhook,
    "announced_table_is_known": UnknownAnnouncedTable,
    "announcements_are_few": TooManyAnnouncements,
    "announcement_is_there": UnknownAnnouncement,
    "webhooks_are_few": TooManyWebhooks,
    "records_are_here": RecordsArchived,
}
"""Refusals of a request of a client, by constraint."""

OTHER_OWNER: Final = "table_has_other_owner"
"""The epoch of the caller is over."""

NOT_COVERED: Final = "bets_are_covered"
"""Wallets or limits do not cover bets. The detail of the error is a JSON object, as `_Short`."""

EXCLUDED: Final = "player_is_not_excluded"
"""The detail of the error is a JSON object of the arguments of `Excluded`."""

LIMIT: Final = "limit_is_kept"
"""A limit of the player. The detail of the error is a JSON object of the arguments of `LimitReached`."""

CASH_DECIDED: Final = "cash_is_decided_once"
"""A request of the cashier was decided differently before."""

UNKNOWN: Final = (
    "account_exists",
    "ticket_exists",
    "sessions_account_fkey",
    "second_factors_account_fkey",
    "tournament_exists",
    "place_is_given",
    "cash_request_exists",
    "adjustment_exists",
)
"""The call names an object that does not exist."""

CONFLICTS: Final = (
    "key_has_other_legs",
    "transfer_is_of_its_kind",
    "table_has_one_round",
    "round_is_open",
    "meter_is_as_before",
    "tips_are_the_tronc",
    "draw_is_of_the_entries",
    "players_move_to_free_seats",
    "places_come_in_order",
    "places_come_after_entries",
    "places_have_their_prizes",
    "place_has_player",
    "tie_begins_at_its_place",
    "account_has_one_place",
    "prizes_are_the_pool",
    "heads_are_won",
    "deal_is_of_its_players",
    "deal_is_the_unpaid_prizes",
    "tournament_deals_amounts_check",
    "tournament_deals_for_the_winner_check",
    "chips_are_bought",
    "settings_are_few",
    "account_settings_key_check",
    "account_settings_value_check",
    "hosted_tables_pkey",
    "hosted_code_is_unique",
    "clubs_pkey",
    "club_code_is_unique",
    "shared_code_is_unique",
)
"""A bug of the room."""


class _Short(msgspec.Struct):
    balances: dict[str, int]
    limited: list[int]

    def refusal(self) -> BetsNotCovered:
        return BetsNotCovered({int(account): most for account, most in self.balances.items()}, self.limited)


def _detail(error: psycopg.IntegrityError) -> Any:
    return msgspec.json.decode(error.diag.message_detail or "{}")


def meaning(error: psycopg.IntegrityError) -> Exception:
    """The exception to raise for an error; the error itself if no request can cause it."""
    constraint = error.diag.constraint_name or ""
    if constraint in REFUSALS:
        return REFUSALS[constraint](str(error))
    if constraint == OTHER_OWNER:
        return NotOwner(str(error))
    if constraint == CASH_DECIDED:
        return CashDecided(str(error))
    if constraint == NOT_COVERED:
        return msgspec.convert(_detail(error), _Short).refusal()
    if constraint == EXCLUDED:
        return Excluded(**_detail(error))
    if constraint == LIMIT:
        return LimitReached(**_detail(error))
    if constraint in CONFLICTS:
        return LedgerConflict(str(error))
    if constraint in UNKNOWN:
        return LookupError(str(error))
    return error
