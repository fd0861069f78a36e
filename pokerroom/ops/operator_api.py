"""The operator API: every page of the operations port below `/v1`, declared once.

An `api_page.ApiPage` has a verb (`operator_roles`), a method, a path, parameters in the query, and the type of its
answer. Those of tables and tournaments follow from `operator_commands`. `operator_pages` routes and checks requests by
this table, and `openapi` describes it. Knows no handler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any, Final

from pokerroom.ledger.account_history import AccountTransfer
from pokerroom.ledger.account_standing import MUTE_MINUTES_MAX
from pokerroom.ledger.adjustments import AdjustmentRow
from pokerroom.ledger.announcements import ANNOUNCED_DAYS_MAX, ANNOUNCEMENT_MAX, AnnouncementRow
from pokerroom.ledger.cashier import NOTE_MAX, CashRow, SourceRow
from pokerroom.ledger.day_reports import LINES_MAX
from pokerroom.ledger.limits import LimitRow
from pokerroom.ledger.operated_clubs import CLUB_NAME_MAX, ClubMove, ClubOverview, OperatedClub
from pokerroom.ledger.operator_log import TEXT_MAX, ArgumentValue
from pokerroom.ledger.operator_wallet import PLAYER_MAX, WalletRow
from pokerroom.ledger.tickets import TICKET_DAYS, TICKET_DAYS_MAX, TicketRow
from pokerroom.ledger.webhooks import KINDS as WEBHOOK_KINDS
from pokerroom.ledger.webhooks import NOTE_MAX as WEBHOOK_NOTE_MAX
from pokerroom.ledger.webhooks import URL_MAX, WebhookMessage, WebhookRow
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiPage
from pokerroom.ops.config_offer import TERMS_MAX
from pokerroom.ops.operator_commands import GROUPS, QUERIES, CommandGroup
from pokerroom.ops.parameter import Parameter
from pokerroom.ops.report_tables import DAY_LENGTH, REPORTS, SKIP_MAX, Report
from pokerroom.ops.reports import (
    NewWebhookSecret,
    OfferReport,
    OfferVersion,
    PlayerAccepted,
    PlayerGame,
    PlayerNote,
    PlayerReport,
    PlayerSession,
    PlayerWallet,
    RecoveryCode,
    TicketEnded,
    WebhookDecided,
    WebhookTested,
)

EXCLUSION_DAYS_MAX: Final = 36_500
"""The longest exclusion that ends, in days."""

_NAME_MAX: Final = 40
_ANNOUNCED_MAX: Final = ANNOUNCED_DAYS_MAX * 24 * 60


def _limit(most: int) -> Parameter:
    return Parameter(name="limit", help="The most that are listed.", most=most)


def _before(what: str) -> Parameter:
    return Parameter(
        name="before",
        help=f"Continue below this {what}: that of the last line of the page before.",
        most=NUMBER_MAX,
    )


def _order(verb: str, subject: str, help_: str, answer: Any, *parameters: Parameter) -> ApiPage:
    """Return the page of an order that the ledger carries out; its path is the subject and the end of the verb."""
    return ApiPage(
        verb=verb,
        path=f"{subject}/{verb.partition('.')[2]}",
        help=cleandoc(help_),
        answer=answer,
        is_order=True,
        parameters=parameters,
        is_booked=True,
    )


_PLAYER: Final = "/players/{player}"
_REQUEST: Final = "/cash_requests/{number}"
_ADJUSTMENT: Final = "/adjustments/{number}"
_OFFER: Final = "/offers/{offer}"
_CLUB: Final = "/clubs/{club}"
_WEBHOOK: Final = "/webhooks/{number}"

_NOTE_FOR_PLAYER: Final = Parameter(name="note", help="A line for the player.", longest=NOTE_MAX)
_DEAD_MESSAGE: Final = Parameter(name="message", help="Only the message of this number.", most=NUMBER_MAX)


def _of_group(group: CommandGroup) -> Iterator[ApiPage]:
    for name, query in group.queries.items():
        path = query.path.format(f"{{{group.subject}}}")
        yield ApiPage(verb=group.verb(name), path=path, help=query.help, answer=query.answer)
    for order in group.orders:
        path = f"/{group.path}/{{{group.subject}}}/{order.name}"
        for one in (path,) if order.argument is None else (path, f"{path}/{{{order.argument}}}"):
            yield ApiPage(
                verb=group.verb(order.name),
                path=one,
                help=cleandoc(order.help),
                answer=group.accepted,
                is_order=True,
                status=group.status,
            )


_OF_TABLES: Final = (
    Parameter(name="table", help="Only this table.", longest=TEXT_MAX),
    Parameter(name="whole", help="One line for each table, of all days."),
)


def _of_report(report: Report) -> ApiPage:
    return ApiPage(
        verb=report.verb,
        path=f"/reports/{report.name}",
        help=cleandoc(report.help),
        answer=report.answer,
        parameters=(
            Parameter(name="since", help="The first day, as `2026-11-30`.", longest=DAY_LENGTH),
            Parameter(name="until", help="The last day. Default: today.", longest=DAY_LENGTH),
            *(_OF_TABLES if report.of_tables else ()),
            Parameter(name="skip", help="Leave out so many lines before the first.", most=SKIP_MAX),
            _limit(LINES_MAX),
            Parameter(name="csv", help="Answer with CSV, amounts in credits."),
        ),
        has_csv=True,
    )


PAGES: Final = (
    *(
        ApiPage(verb=verb, path=query.path, help=query.help, answer=query.answer, parameters=query.parameters)
        for verb, query in QUERIES.items()
    ),
    *(page for group in GROUPS for page in _of_group(group)),
    ApiPage(
        verb="operator.log",
        path="/operator_log",
        help="List lines of the operators' log, the newest first.",
        answer=list[dict[str, ArgumentValue]],
        parameters=(
            _before("`n`"),
            _limit(LISTED_MAX),
            Parameter(name="who", help="Lines of this actor.", longest=TEXT_MAX),
            Parameter(name="verb", help="Lines of this verb, or of verbs that begin so.", longest=TEXT_MAX),
        ),
    ),
    *(_of_report(report) for report in REPORTS),
    ApiPage(
        verb="announcement.list",
        path="/announcements",
        help="List what operators have announced to players, the latest first.",
        answer=list[AnnouncementRow],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    _order(
        "announcement.add",
        "/announcements",
        """Announce a text to all players, or to those at one table.

        Players are told within ten seconds of its beginning. Refused with `bad_announcement`,
        `too_many_announcements`, and `unknown_table`.""",
        AnnouncementRow,
        Parameter(name="text", help="One line for players.", longest=ANNOUNCEMENT_MAX),
        Parameter(name="table", help="The id of a table. Default: for all.", longest=TEXT_MAX),
        Parameter(name="in_minutes", help="It begins in so many minutes. Default: now.", most=_ANNOUNCED_MAX),
        Parameter(name="minutes", help="For so many minutes.", most=_ANNOUNCED_MAX),
    ),
    _order(
        "announcement.withdraw",
        "/announcements/{number}",
        "End an announcement now; one that is over stays as it is.",
        AnnouncementRow,
    ),
    ApiPage(
        verb="cashier.sources",
        path="/cash_sources",
        help="List the sources of the cashier, and what each holds.",
        answer=list[SourceRow],
    ),
    ApiPage(
        verb="cashier.list",
        path="/cash_requests",
        help="List requests for deposits and withdrawals, the newest first: those that wait.",
        answer=list[CashRow],
        parameters=(
            Parameter(name="all", help="Also those that are decided."),
            _before("`number`"),
            _limit(LISTED_MAX),
        ),
    ),
    _order(
        "cashier.approve",
        _REQUEST,
        "Approve a request. Refused with `cash_decided` if it was refused before.",
        CashRow,
        _NOTE_FOR_PLAYER,
    ),
    _order(
        "cashier.refuse",
        _REQUEST,
        "Refuse a request. Refused with `cash_decided` if it was approved before.",
        CashRow,
        _NOTE_FOR_PLAYER,
    ),
    ApiPage(
        verb="cashier.tickets",
        path="/players/{player}/tickets",
        help="List a player's unused tickets for tournaments, the first to expire first.",
        answer=list[TicketRow],
    ),
    _order(
        "cashier.give_ticket",
        _PLAYER,
        """Give a player a ticket for a tournament of an offer, worth its buy-in.

        Refused with `no_ticket_target` if no tournament of the offer was announced, and with `four_eyes_needed` where
        two operators must agree.""",
        TicketRow,
        Parameter(name="offer", help="The id of the offer.", longest=_NAME_MAX),
        Parameter(name="source", help="The source of the cashier that pays.", longest=_NAME_MAX),
        Parameter(
            name="days", help=f"It expires after so many days. Default: {TICKET_DAYS}.", most=TICKET_DAYS_MAX
        ),
    ),
    _order(
        "cashier.end_ticket",
        "/tickets/{number}",
        """Take an unused ticket back: its value goes to its source, or to the wallet of the player that has won it.

        Refused with `ticket_used` if it pays an entry.""",
        TicketEnded,
    ),
    ApiPage(
        verb="cashier.adjustments",
        path="/adjustments",
        help="List adjustments of balances, the newest first: those that wait for another operator.",
        answer=list[AdjustmentRow],
        parameters=(
            Parameter(name="all", help="Also those that are decided or expired."),
            _limit(LISTED_MAX),
        ),
    ),
    _order(
        "cashier.adjust",
        _PLAYER,
        """Put a balance right: move an amount from a source to the wallet of a player, or back.

        With four eyes it is a proposal, which another operator approves within a day. It needs a reason.""",
        AdjustmentRow,
        Parameter(name="amount", help="In the smallest unit.", most=NUMBER_MAX),
        Parameter(name="take", help="From the wallet to the source."),
        Parameter(name="source", help="The source of the cashier.", longest=_NAME_MAX),
    ),
    _order(
        "cashier.approve_adjustment",
        _ADJUSTMENT,
        """Approve an adjustment that another operator has proposed, and move its money.

        Refused with `same_operator` for one of your own, and with `proposal_expired` after a day.""",
        AdjustmentRow,
    ),
    _order(
        "cashier.refuse_adjustment",
        _ADJUSTMENT,
        "Refuse an adjustment that waits, also one of your own.",
        AdjustmentRow,
    ),
    ApiPage(
        verb="account.search",
        path="/players",
        help="List names of players that begin so, in order, ignoring case.",
        answer=list[str],
        parameters=(
            Parameter(name="name", help="The beginning of the names.", longest=_NAME_MAX),
            _limit(100),
        ),
    ),
    ApiPage(
        verb="account.show",
        path="/players/{player}",
        help="Show the account of a player.",
        answer=PlayerReport,
    ),
    ApiPage(
        verb="account.sessions",
        path="/players/{player}/sessions",
        help="List the valid log-ins of a player, the one used last first.",
        answer=list[PlayerSession],
    ),
    ApiPage(
        verb="account.history",
        path="/players/{player}/history",
        help="List hands, rounds and tournaments of a player with their results, the newest first, without cards.",
        answer=list[PlayerGame],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    ApiPage(
        verb="account.transfers",
        path="/players/{player}/transfers",
        help="List what changed the wallet or the tickets of a player, the newest first.",
        answer=list[AccountTransfer],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    ApiPage(
        verb="account.limits",
        path="/players/{player}/limits",
        help="Show the limits of a player: what the player has set, the room's caps, and what is used.",
        answer=list[LimitRow],
    ),
    ApiPage(
        verb="account.notes",
        path="/players/{player}/notes",
        help="List the notes of operators about a player, the newest first.",
        answer=list[PlayerNote],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    _order(
        "account.note",
        _PLAYER,
        """Write a note about a player: its text is the `reason`.

        It is a line of the operators' log: it is never changed or removed, and the player is not told.""",
        PlayerAccepted,
    ),
    _order("account.lock", _PLAYER, "Lock an account, and end its log-ins.", PlayerAccepted),
    _order("account.unlock", _PLAYER, "Let a locked account log in again.", PlayerAccepted),
    _order(
        "account.mute",
        _PLAYER,
        """Take the right to chat from a player for a time, in place of an earlier one.

        The player is told within ten seconds.""",
        PlayerAccepted,
        Parameter(name="minutes", help="For so many minutes.", most=MUTE_MINUTES_MAX),
    ),
    _order("account.unmute", _PLAYER, "Let a player chat again.", PlayerAccepted),
    _order("account.log_out", _PLAYER, "End all log-ins of a player.", PlayerAccepted),
    _order(
        "account.exclude",
        _PLAYER,
        "Exclude a player from play, for `days` or `for_ever`. An exclusion cannot be lifted.",
        PlayerAccepted,
        Parameter(name="days", help="For so many days.", most=EXCLUSION_DAYS_MAX),
        Parameter(name="for_ever", help="For ever."),
    ),
    _order(
        "account.rename",
        _PLAYER,
        "Give an account another name.",
        PlayerAccepted,
        Parameter(name="new_name", help="The new name.", longest=_NAME_MAX),
    ),
    ApiPage(
        verb="account.recovery_code",
        path="/players/{player}/recovery_code",
        help="Make a code with which the player sets a new password, once. It is told once.",
        answer=RecoveryCode,
        is_order=True,
        parameters=(Parameter(name="end_second_factor", help="The code also ends the second factor."),),
        is_booked=True,
        is_secret=True,
    ),
    ApiPage(
        verb="club.list",
        path="/clubs",
        help="List clubs of players, the latest first, also those that are closed.",
        answer=list[ClubOverview],
        parameters=(
            Parameter(name="name", help="A part of the name, or the id.", longest=CLUB_NAME_MAX),
            Parameter(name="player", help="Only clubs of this player.", longest=_NAME_MAX),
            _before("`number`"),
            _limit(LISTED_MAX),
        ),
    ),
    ApiPage(
        verb="club.show",
        path=_CLUB,
        help="Show one club: members with roles and balances, and open tables.",
        answer=OperatedClub,
    ),
    ApiPage(
        verb="club.transfers",
        path=f"{_CLUB}/transfers",
        help="List chips that the bank of a club has issued and taken back, the latest first.",
        answer=list[ClubMove],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    _order(
        "club.rename",
        _CLUB,
        "Give a club another name.",
        OperatedClub,
        Parameter(name="new_name", help="The new name.", longest=CLUB_NAME_MAX),
    ),
    _order(
        "club.end_invitation",
        _CLUB,
        "Make the invitation of a club void. Its managers may make another one.",
        OperatedClub,
    ),
    _order(
        "club.set_owner",
        _CLUB,
        """Make a member the owner of a club. The owner before is a manager from then on.

        Refused with `unknown_member`, and with `account_locked`.""",
        OperatedClub,
        Parameter(name="member", help="The name of the member.", longest=_NAME_MAX),
    ),
    _order(
        "club.close",
        _CLUB,
        """Close a club for good; all balances go back to its bank.

        Refused with `club_in_use` while a table of the club is open, or a sit-and-go of it not over.""",
        OperatedClub,
    ),
    ApiPage(
        verb="offer.list",
        path="/offers",
        help="List the offers of tournaments and of private tables, also those that an order has retired.",
        answer=list[OfferReport],
    ),
    ApiPage(
        verb="offer.show", path="/offers/{offer}", help="Show one offer, with its terms.", answer=OfferReport
    ),
    ApiPage(
        verb="offer.history",
        path="/offers/{offer}/history",
        help="List the orders about an offer, the latest first.",
        answer=list[OfferVersion],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    _order(
        "offer.set",
        _OFFER,
        """Make or change an offer: these terms hold for tournaments that are opened from now on.

        Registration for a changed sit-and-go is cancelled, and its buy-ins are returned. Tournaments that run or are
        announced keep their terms. The offer `private_tables` says which tables players may open; those that are open
        stay as they are. Refused with `bad_offer`, which names every problem.""",
        OfferReport,
        Parameter(
            name="kind",
            help="`sit_and_go`, `tournament` or `private_tables`; the default is that of the offer.",
            longest=16,
        ),
        Parameter(name="terms", help="A JSON object with the keys of the settings.", longest=TERMS_MAX),
    ),
    _order(
        "offer.retire",
        _OFFER,
        """Open no more tournaments of an offer, also if the settings have it.

        Registration for a sit-and-go is cancelled, and its buy-ins are returned. Tournaments that run or are announced
        stay. Without the offer `private_tables` players open none, and join none by a link or a password.""",
        OfferReport,
    ),
    _order(
        "offer.reset",
        _OFFER,
        "Give an offer back to the settings: it is as they say, or is not offered.",
        OfferReport,
    ),
    ApiPage(
        verb="wallet.list",
        path="/wallet_transfers",
        help="List what moves between the room and the operator's wallet, the latest first.",
        answer=list[WalletRow],
        parameters=(
            Parameter(name="player", help="Only transfers of this player.", longest=_NAME_MAX),
            Parameter(name="waiting", help="Only those that have no firm answer yet."),
            _before("`number`"),
            _limit(LISTED_MAX),
        ),
    ),
    ApiPage(
        verb="wallet.show",
        path="/wallet_transfers/{number}",
        help="Show one transfer, with the id by which the operator's server knows it.",
        answer=WalletRow,
    ),
    _order(
        "wallet.retry",
        "/wallet_transfers/{number}",
        "Send a credit or a rollback that waits at once. It has no effect on another transfer.",
        WalletRow,
    ),
    ApiPage(
        verb="wallet.player",
        path="/players/{player}/wallet",
        help="Show the id of a player in the operator's wallet.",
        answer=PlayerWallet,
    ),
    _order(
        "wallet.link",
        _PLAYER,
        """Link a player with the operator's wallet.

        Refused with `wallet_in_use` for an account that holds something, with `wallet_linked` for one with another id,
        and with `wallet_player_taken` for an id of another account.""",
        PlayerWallet,
        Parameter(name="wallet", help="The id of the player in the operator's wallet.", longest=PLAYER_MAX),
    ),
    _order(
        "wallet.unlink",
        _PLAYER,
        "Remove the link of a player. Refused with `wallet_in_use` for an account that holds something.",
        PlayerWallet,
    ),
    ApiPage(
        verb="webhook.list",
        path="/webhooks",
        help="List the webhooks, and how many messages of each wait or are dead.",
        answer=list[WebhookRow],
    ),
    ApiPage(
        verb="webhook.add",
        path="/webhooks/add",
        help=cleandoc("""Add a webhook: its URL gets a POST for each event of its kinds.

            The secret that signs the messages is told once. Refused with `bad_webhook` for a URL or a kind that cannot
            be used, and with `too_many_webhooks`."""),
        answer=NewWebhookSecret,
        is_order=True,
        parameters=(
            Parameter(name="url", help="Begins with `https://`.", longest=URL_MAX),
            Parameter(
                name="kinds",
                help=f"One or more of: {', '.join(WEBHOOK_KINDS)}; with commas between them.",
                longest=200,
            ),
            Parameter(name="note", help="A line for operators.", longest=WEBHOOK_NOTE_MAX),
            Parameter(
                name="big_win",
                help="A win of so much in a hand is a `significant` event, in the smallest unit. Default: none is.",
                most=NUMBER_MAX,
            ),
        ),
        is_booked=True,
        is_secret=True,
    ),
    ApiPage(verb="webhook.show", path="/webhooks/{number}", help="Show one webhook.", answer=WebhookRow),
    ApiPage(
        verb="webhook.dead",
        path="/webhooks/{number}/dead",
        help="List the dead messages of a webhook, the latest first: those that are not tried again.",
        answer=list[WebhookMessage],
        parameters=(_before("`number`"), _limit(LISTED_MAX)),
    ),
    _order("webhook.remove", _WEBHOOK, "Remove a webhook with its messages.", WebhookDecided),
    _order(
        "webhook.enable",
        _WEBHOOK,
        "Deliver to a webhook that was switched off; what waits is delivered, too.",
        WebhookRow,
    ),
    _order(
        "webhook.disable",
        _WEBHOOK,
        "Deliver no more to a webhook, and write no more messages for it.",
        WebhookRow,
    ),
    _order(
        "webhook.test", _WEBHOOK, "Send a test message at once, also to a webhook that is off.", WebhookTested
    ),
    _order(
        "webhook.retry",
        _WEBHOOK,
        "Try dead messages again, from the first try on.",
        WebhookDecided,
        _DEAD_MESSAGE,
    ),
    _order("webhook.drop", _WEBHOOK, "Drop dead messages of a webhook.", WebhookDecided, _DEAD_MESSAGE),
)
"""Every page, one for each path."""


def page_of(parts: list[str]) -> tuple[ApiPage, Mapping[str, str]] | None:
    """Return the page of a path below `API`, and the parts that the client chose; None if there is none."""
    for page in PAGES:
        if (args := page.match(parts)) is not None:
            return page, args
    return None
