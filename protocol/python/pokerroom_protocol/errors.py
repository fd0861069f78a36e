"""The stable error codes of protocol v1, each with a sentence that tells the player what to do.

A code never changes its meaning within version 1. New codes may be added; a client treats an unknown code as a refusal.
Each code has a kind: what a client does about it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, Self

Kind = Literal["retry", "fix", "final"]


class Code(StrEnum):
    """The reason of a refusal or of a closed connection."""

    sentence: str

    def __new__(cls, code: str, sentence: str = "") -> Self:
        """Make a member from its code and the sentence for the player."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    # the connection is closed after these
    FRAME_TOO_LARGE = "frame_too_large", "The frame is larger than the room accepts. Send smaller messages."
    TOO_SLOW = "too_slow", "Your client does not read fast enough. Reconnect and resume."
    IDLE = "idle", "Your client was silent for too long. Reconnect, and send a ping in time."
    TAKEN_OVER = (
        "taken_over",
        "Your account has connected elsewhere. Close the other connection before you reconnect.",
    )
    SESSION_ENDED = "session_ended", "This session was ended, or is too old. Log in again."
    SHUTTING_DOWN = "shutting_down", "The room is shutting down. Reconnect in a moment and resume."
    # the frame is no valid message; the connection stays open
    BAD_ENCODING = (
        "bad_encoding",
        "The frame is not one valid value of the connection's encoding. Correct it and send it again.",
    )
    BAD_MESSAGE = (
        "bad_message",
        "A field is missing, unknown, or of the wrong type or size. Correct the message.",
    )
    UNKNOWN_MESSAGE = (
        "unknown_message",
        "The room does not know this message type. Use a type of protocol version 1.",
    )
    RATE_LIMITED = "rate_limited", "You send too many messages. Slow down and try again."
    # connection and account
    HELLO_FIRST = "hello_first", "Send hello first."
    ALREADY_GREETED = "already_greeted", "This connection has sent hello already. Go on without it."
    UNSUPPORTED_VERSION = (
        "unsupported_version",
        "The room does not support this protocol version. Send hello with another version.",
    )
    NOT_AUTHENTICATED = "not_authenticated", "Register, log in or resume first."
    ALREADY_AUTHENTICATED = "already_authenticated", "This connection is logged in already. Log out first."
    BAD_CREDENTIALS = "bad_credentials", "Name and password do not match. Check both and try again."
    BAD_CODE = "bad_code", "The code is wrong, too old, or used already. Check it, or use another one."
    CODE_NEEDED = "code_needed", "Enter the code of your authenticator app, or a recovery code."
    ACCOUNT_IN_USE = (
        "account_in_use",
        "Leave your tables and sit-and-gos, close private tables, and wait for the cashier. Then delete the account.",
    )
    WALLET_NOT_EMPTY = (
        "wallet_not_empty",
        "Withdraw the money in your wallet at the cashier. Then delete the account.",
    )
    SECOND_FACTOR_ON = "second_factor_on", "The second factor is on already. Switch it off first."
    LOG_IN_DELAYED = (
        "log_in_delayed",
        "There were too many wrong passwords or codes. Wait before you try again.",
    )
    NAME_TAKEN = (
        "name_taken",
        "An account has this name, or one that looks like it. Choose another name, or log in.",
    )
    NAME_RESERVED = (
        "name_reserved",
        "Names like this are reserved for the room and its house bots. Choose another name.",
    )
    TOO_MANY_ACCOUNTS = (
        "too_many_accounts",
        "Your address has opened many accounts. Wait before you open another, or log in.",
    )
    WEAK_PASSWORD = (
        "weak_password",
        "This password is too short or too common. Choose several words that do not belong together.",
    )
    SESSION_UNKNOWN = "session_unknown", "The session has ended or never existed. Log in."
    # tables and seats
    TABLE_TAKEN = (
        "table_taken",
        "This table is open in another window or on another device. Open it here to go on here.",
    )
    UNKNOWN_TABLE = "unknown_table", "There is no such table. Choose a table from the lobby."
    NOT_OBSERVING = "not_observing", "Observe the table first."
    NOT_SEATED = "not_seated", "You have no seat at this table. Sit down first."
    SEATED_HERE = "seated_here", "You have a seat at this table. Stand up first."
    ALREADY_SEATED = "already_seated", "You have a seat at this table already."
    TOO_MANY_TABLES = "too_many_tables", "You sit at as many tables as an account may. Leave one first."
    ADDRESS_SEATED = (
        "address_seated",
        "Your address has as many players here as it may have. Choose another table or tournament.",
    )
    NO_SUCH_SEAT = "no_such_seat", "The table has no seat with this number. Choose another."
    SEAT_TAKEN = "seat_taken", "The seat is taken. Choose another."
    CHAT_OFF = "chat_off", "The chat is off at this table."
    SEAT_HELD = "seat_held", "The seat is reserved for another player. Choose another."
    SEAT_COOLDOWN = (
        "seat_cooldown",
        "You reserved seats here several times without a buy-in. Sit down at once, or wait some minutes.",
    )
    NO_SEAT_HELD = "no_seat_held", "No seat is reserved for you at this table. Reserve one first."
    TABLE_FULL = "table_full", "The table has no free seat. Join the waiting list or choose another table."
    WAITING_LIST = "waiting_list", "Other players wait for this seat. Join the waiting list."
    ALREADY_WAITING = "already_waiting", "You are on this waiting list already."
    NOT_WAITING = "not_waiting", "You are not on this waiting list."
    BRING_BACK = (
        "bring_back",
        "You left this table with a larger stack a short while ago. Buy in for at least that amount.",
    )
    NO_STRADDLE = "no_straddle", "This table has no straddle. Leave the option off."
    BUY_IN_TOO_SMALL = "buy_in_too_small", "The buy-in is below the table's minimum. Choose a larger amount."
    BUY_IN_TOO_LARGE = (
        "buy_in_too_large",
        "The chips would exceed the table's maximum buy-in. Choose a smaller amount.",
    )
    INSUFFICIENT_BALANCE = (
        "insufficient_balance",
        "The balance does not cover this amount. Choose a smaller amount, or get more chips first.",
    )
    REQUEST_PENDING = (
        "request_pending",
        "Your earlier request at this table is not finished. Wait for its answer and try again.",
    )
    NO_CHIPS = "no_chips", "You have no chips at this table. Top up first."
    NOT_PLAYING = "not_playing", "You sit out already."
    ALREADY_PLAYING = "already_playing", "You are playing already."
    LEAVING = "leaving", "You are leaving this table. Sit down again afterwards."
    TABLE_CLOSING = "table_closing", "The table is closing and accepts no new players. Choose another table."
    # private tables
    BAD_TABLE_SETTINGS = (
        "bad_table_settings",
        "These settings do not go together. Change the one that the message names.",
    )
    SETTINGS_NOT_OFFERED = (
        "settings_not_offered",
        "The operator does not offer this at private tables. Choose another game, other stakes or fewer seats.",
    )
    HOSTING_OFF = "hosting_off", "This room has no private tables. Choose a table from the lobby."
    TOO_MANY_HOSTED_TABLES = (
        "too_many_hosted_tables",
        "You have as many private tables as you may, or the room has. Close one first, or try again later.",
    )
    TOO_MANY_ATTEMPTS = (
        "too_many_attempts",
        "There were too many wrong links, invitations or passwords. Wait before you try again.",
    )
    UNKNOWN_LINK = "unknown_link", "This link does not admit you. Ask your host."
    WRONG_TABLE_PASSWORD = (
        "wrong_table_password",
        "No table lets you in by this table ID and password. Check both, or ask your host.",
    )
    TOO_MANY_GUESTS = (
        "too_many_guests",
        "This table has as many guests as a table may have. Ask your host for another table.",
    )
    NOT_HOST = "not_host", "Only the host of this table may do this. Ask the host."
    STAKES_TOO_HIGH = (
        "stakes_too_high",
        "While others have a seat, the stakes at most double, and rise once in a minute. Choose lower ones, or wait.",
    )
    SEAT_NOT_ACCEPTED = (
        "seat_not_accepted",
        "The host of this table decides who sits down. Ask for a seat, and wait for the answer.",
    )
    UNKNOWN_GUEST = "unknown_guest", "No player of this name is here by your link. Check the name."
    # clubs
    CLUBS_OFF = "clubs_off", "This room has no clubs. Choose a table from the lobby."
    UNKNOWN_CLUB = "unknown_club", "There is no such club, or you are no member. Choose one of your clubs."
    UNKNOWN_CLUB_CODE = (
        "unknown_club_code",
        "This invitation does not admit you: it is not complete, or has expired. Ask the club for a new one.",
    )
    TOO_MANY_CLUBS = (
        "too_many_clubs",
        "You have as many clubs as you may. Leave or close one first, or try again tomorrow.",
    )
    TOO_MANY_MEMBERS = (
        "too_many_members",
        "The club has as many members as a club may. Ask its owner to remove one first.",
    )
    CLUB_ROLE_NEEDED = (
        "club_role_needed",
        "Your role in the club does not allow this. Ask the owner or a manager of the club.",
    )
    UNKNOWN_MEMBER = "unknown_member", "The club has no member of this name. Check the name."
    MEMBER_AT_TABLE = (
        "member_at_table",
        "The member has a seat at a table or in a sit-and-go of the club, or hosts one. Leave or close it, or wait.",
    )
    CLUB_IN_USE = (
        "club_in_use",
        "A table or a sit-and-go of the club is not over. Close the table first, or wait for the end.",
    )
    # actions in a hand
    NO_HAND = "no_hand", "No hand is in progress at this table. Wait for the next hand."
    WRONG_HAND = "wrong_hand", "The action names another hand. Use the hand_id of the hand in progress."
    STALE_SEQ = "stale_seq", "The action answers an old turn. Use the seq of the latest turn."
    NOT_YOUR_TURN = "not_your_turn", "It is another player's turn. Wait for yours."
    CANNOT_CHECK = "cannot_check", "You cannot check a bet. Call, raise or fold."
    NOTHING_TO_CALL = "nothing_to_call", "There is nothing to call. Check or bet."
    AMOUNT_REQUIRED = (
        "amount_required",
        "The amount is missing: a bet or raise needs its total for the street, a pre-action its price.",
    )
    AMOUNT_NOT_ALLOWED = "amount_not_allowed", "This action takes no amount. Leave it out."
    RAISE_NOT_ALLOWED = "raise_not_allowed", "You cannot raise now. Call or fold."
    RAISE_TOO_SMALL = "raise_too_small", "The raise is below the minimum. Raise to at least min_raise_to."
    RAISE_TOO_LARGE = "raise_too_large", "The raise is above the maximum. Raise to at most max_raise_to."
    YOUR_TURN = "your_turn", "It is your turn. Act now."
    PRICE_CHANGED = "price_changed", "The price of a call has changed. Look at the table and decide again."
    NOT_IN_HAND = "not_in_hand", "You have no decision to make in this hand. Wait for the next hand."
    # a round of Ultimate Texas Hold'em
    WRONG_GAME = "wrong_game", "This table plays another game. Use the requests of that game."
    NO_WAITING_LIST = "no_waiting_list", "This table has no waiting list. Take a free place."
    BETTING_CLOSED = "betting_closed", "Betting is closed. Wait for the next round."
    NO_SUCH_BET = "no_such_bet", "The table does not offer this bet. Choose another."
    NO_SUCH_BOX = "no_such_box", "The table has no box with this number. Choose another."
    BOX_TAKEN = "box_taken", "The box belongs to another player. Choose another."
    BAD_AMOUNT = "bad_amount", "The amount is too small. Bet at least one unit."
    ABOVE_MAXIMUM = "above_maximum", "The bet would exceed the table's maximum. Bet less."
    BELOW_MINIMUM = (
        "below_minimum",
        "The bet was below the table's minimum when betting closed. Bet more in the next round.",
    )
    ANTE_NOT_EVEN = (
        "ante_not_even",
        "The Ante must be an even number of units, because the Blind pays 3 to 2. Change the amount.",
    )
    ANTE_NEEDED = "ante_needed", "This bet needs an Ante on its box. Place the Ante first."
    OWN_BOX_NEEDED = "own_box_needed", "An extra box needs an Ante on your own box. Place that first."
    PLAY_NEEDED = (
        "play_needed",
        "An extra box needs its Play before the deal. Choose it while betting is open.",
    )
    HOUSE_LIMIT = "house_limit", "The house's limit for this round is reached. Bet less in the next round."
    NOT_PRESENT = (
        "not_present",
        "You were away when betting closed: disconnected, or the page was hidden. Nothing was paid.",
    )
    NOTHING_TO_UNDO = "nothing_to_undo", "There is nothing to undo."
    NOTHING_TO_DOUBLE = "nothing_to_double", "There is no bet to double. Place a bet first."
    DOUBLED_ALREADY = "doubled_already", "The bets are doubled already. They can be doubled once."
    NOTHING_TO_REPEAT = "nothing_to_repeat", "You had no bets in the last round. Place new bets."
    BETS_PLACED = (
        "bets_placed",
        "You have placed a bet already. Undo it before you repeat the last round's bets.",
    )
    WRONG_ROUND = "wrong_round", "The message names another round. Use the round_id of the round in progress."
    ROUND_OVER = "round_over", "No round is in progress. Wait for the next round."
    NOT_YOUR_BOX = "not_your_box", "You have no such box in this round. Choose one of yours."
    DECIDED_ALREADY = "decided_already", "This box has decided already."
    CANNOT_FOLD = "cannot_fold", "A box can fold on the river only. Check instead."
    PLAY_NOT_ALLOWED = (
        "play_not_allowed",
        "This size of the Play is not legal on this street. Choose another multiple.",
    )
    # sit-and-gos
    UNKNOWN_OFFER = "unknown_offer", "There is no such sit-and-go. Choose one from the lobby."
    UNKNOWN_TOURNAMENT = "unknown_tournament", "There is no such tournament, and never was. Check its id."
    UNKNOWN_LEAGUE = "unknown_league", "There is no such league. Choose one from the list of leagues."
    TOURNAMENT_TABLE = "tournament_table", "This is not possible at a tournament table."
    REGISTRATION_CLOSED = (
        "registration_closed",
        "It takes no entries now. If late registration is open, try again in a second.",
    )
    TOURNAMENT_FULL = "tournament_full", "All seats are taken. Try again for the next tournament."
    ALREADY_REGISTERED = "already_registered", "You are registered for this tournament already."
    NOT_REGISTERED = "not_registered", "You are not registered for this tournament."
    ENTRIES_USED_UP = (
        "entries_used_up",
        "You have entered or left this tournament too often. Register for another one.",
    )
    SALE_CLOSED = (
        "sale_closed",
        "The tournament does not sell this now, or you are out. The tournament window tells what is sold, and when.",
    )
    PURCHASES_USED_UP = (
        "purchases_used_up",
        "You have bought as many as the tournament allows. Play on with your chips.",
    )
    PURCHASE_PENDING = (
        "purchase_pending",
        "You have bought one already. Its chips come before your next hand; then you can buy another one.",
    )
    STACK_TOO_LARGE = (
        "stack_too_large",
        "You have too many chips for a rebuy. Try again when you have fewer.",
    )
    TOURNAMENT_NOT_FULL = "tournament_not_full", "The tournament has free seats. Wait until it is full."
    TOURNAMENT_NOT_RUNNING = "tournament_not_running", "The tournament has not started, or is over."
    TOURNAMENT_PRIZES_WON = (
        "tournament_prizes_won",
        "A prize or a bounty is won already. Roll the tournament forward, or let it finish.",
    )
    # deals at a final table
    DEALS_NOT_OFFERED = "deals_not_offered", "There are no deals at this table. Play on."
    NO_FINAL_TABLE = (
        "no_final_table",
        "Players make a deal at the final table, when few enough are left. Play on until then.",
    )
    DEAL_IN_PROGRESS = "deal_in_progress", "A deal is proposed already. Wait until it has ended."
    DEAL_MADE = (
        "deal_made",
        "The players have made a deal already. Play on for what it has left for the winner.",
    )
    DEAL_PAUSED = "deal_paused", "The tournament is paused. Propose the deal when play goes on."
    DEAL_TOO_SOON = (
        "deal_too_soon",
        "Play more hands first: ten after the first failed deal, then twice as many each time.",
    )
    WRONG_DEAL_AMOUNT = (
        "wrong_deal_amount",
        "This amount cannot be set aside for the winner. Choose one between the bounds of the deal.",
    )
    DEAL_PLAYER_AWAY = (
        "deal_player_away",
        "A player is away and cannot agree. Propose the deal when all are back.",
    )
    CHIP_CHOP_TOO_LARGE = (
        "chip_chop_too_large",
        "By chips a player would get more than the first prize. Propose a deal by ICM.",
    )
    NO_DEAL = "no_deal", "This deal has ended, or you have answered it already. Look at the table again."
    # the account
    UNKNOWN_HAND = (
        "unknown_hand",
        "You did not play this hand, or it is not over. Choose one from your history.",
    )
    RECORD_ARCHIVED = (
        "record_archived",
        "This hand or round is in the room's archive: its result is in your history. Ask the operator for the rest.",
    )
    UNKNOWN_HAND_LINK = (
        "unknown_hand_link",
        "This link leads to no hand: it is not complete, or was taken back. Ask the player that shared it.",
    )
    TOO_MANY_HAND_LINKS = (
        "too_many_hand_links",
        "You share as many hands as you may. Take back links to other hands first.",
    )
    STATISTICS_OFF = (
        "statistics_off",
        "This room shows no statistics of other players while you have a seat. Leave your tables first.",
    )
    UNKNOWN_PLAYER = "unknown_player", "There is no other player of this name. Check the name."
    TOO_MANY_PLAYER_NOTES = (
        "too_many_player_notes",
        "You have notes about as many players as you may. Clear notes about other players first.",
    )
    UNKNOWN_ROUND = (
        "unknown_round",
        "You did not play this round, or it is not over. Choose one from your history.",
    )
    UNKNOWN_SOURCE = "unknown_source", "The cashier has no such source, or it is closed. Choose another."
    KEY_USED = "key_used", "This key belongs to another request. Use a new key."
    TOO_MANY_REQUESTS = (
        "too_many_requests",
        "You have too many pending requests. Wait until the operator decides on one.",
    )
    NO_REFILL = "no_refill", "This room has no free refill now. Ask the operator for a deposit."
    REFILL_NOT_NEEDED = (
        "refill_not_needed",
        "You have enough for a game. A refill is for players that own less than the floor.",
    )
    REFILL_TOO_SOON = (
        "refill_too_soon",
        "Your last refill was too recent. Wait before you ask for the next one.",
    )
    WALLET_BUSY = (
        "wallet_busy",
        "Your wallet gives no answer now. Nothing was taken from it, or all of it goes back. Try again in a moment.",
    )
    WALLET_REFUSED = (
        "wallet_refused",
        "Your wallet does not give this amount. Check your balance there. Choose a smaller amount, or try again later.",
    )
    LIMIT_REACHED = (
        "limit_reached",
        "One of your limits does not allow this. Choose a smaller amount, or wait until the limit's window ends.",
    )
    EXCLUDED = (
        "excluded",
        "This account is excluded from play. You can see your history and withdraw your money.",
    )
    CHAT_MUTED = "chat_muted", "An operator has taken your right to chat for a time. Try again later."
    ACCOUNT_LOCKED = "account_locked", "The operator has locked this account. Ask the operator why."
    # the room
    TABLE_FROZEN = (
        "table_frozen",
        "The table is frozen. No chip is lost, and the operator knows. Wait for the table to go on.",
    )
    UNAVAILABLE = "unavailable", "The room cannot do this right now. Try again."
    INTERNAL = "internal", "The room had an internal error. Nothing has changed. Try again."

    @property
    def kind(self) -> Kind:
        """What a client does: `retry` the same request later, `fix` its request, or take the refusal as `final`.

        A request that is to be fixed was malformed, out of date, or not allowed in this state: a client that follows
        the table and its ranges does not send it. A final refusal is for the player, who may choose something else.
        """
        return "retry" if self in _RETRY else "fix" if self in _FIX else "final"


_RETRY: Final = frozenset(
    {
        Code.TOO_SLOW,
        Code.IDLE,
        Code.SHUTTING_DOWN,
        Code.RATE_LIMITED,
        Code.LOG_IN_DELAYED,
        Code.TOO_MANY_ATTEMPTS,
        Code.TOO_MANY_ACCOUNTS,
        Code.SEAT_COOLDOWN,
        Code.REQUEST_PENDING,
        Code.TOURNAMENT_FULL,
        Code.TOO_MANY_REQUESTS,
        Code.REFILL_TOO_SOON,
        Code.WALLET_BUSY,
        Code.TABLE_FROZEN,
        Code.UNAVAILABLE,
        Code.INTERNAL,
    }
)
_FIX: Final = frozenset(
    {
        Code.FRAME_TOO_LARGE,
        Code.BAD_ENCODING,
        Code.BAD_MESSAGE,
        Code.UNKNOWN_MESSAGE,
        Code.HELLO_FIRST,
        Code.ALREADY_GREETED,
        Code.UNSUPPORTED_VERSION,
        Code.NOT_AUTHENTICATED,
        Code.ALREADY_AUTHENTICATED,
        Code.NOT_OBSERVING,
        Code.NOT_SEATED,
        Code.SEATED_HERE,
        Code.NO_SUCH_SEAT,
        Code.NO_SEAT_HELD,
        Code.NO_STRADDLE,
        Code.BUY_IN_TOO_SMALL,
        Code.BUY_IN_TOO_LARGE,
        Code.BRING_BACK,
        Code.NOT_WAITING,
        Code.NO_HAND,
        Code.WRONG_HAND,
        Code.STALE_SEQ,
        Code.NOT_YOUR_TURN,
        Code.CANNOT_CHECK,
        Code.NOTHING_TO_CALL,
        Code.AMOUNT_REQUIRED,
        Code.AMOUNT_NOT_ALLOWED,
        Code.RAISE_NOT_ALLOWED,
        Code.RAISE_TOO_SMALL,
        Code.RAISE_TOO_LARGE,
        Code.YOUR_TURN,
        Code.PRICE_CHANGED,
        Code.NOT_IN_HAND,
        Code.WRONG_GAME,
        Code.NO_WAITING_LIST,
        Code.NO_SUCH_BET,
        Code.NO_SUCH_BOX,
        Code.BAD_AMOUNT,
        Code.ABOVE_MAXIMUM,
        Code.ANTE_NOT_EVEN,
        Code.ANTE_NEEDED,
        Code.OWN_BOX_NEEDED,
        Code.PLAY_NEEDED,
        Code.WRONG_ROUND,
        Code.ROUND_OVER,
        Code.NOT_YOUR_BOX,
        Code.DECIDED_ALREADY,
        Code.CANNOT_FOLD,
        Code.PLAY_NOT_ALLOWED,
        Code.UNKNOWN_OFFER,
        Code.UNKNOWN_TOURNAMENT,
        Code.UNKNOWN_LEAGUE,
        Code.TOURNAMENT_TABLE,
        Code.DEALS_NOT_OFFERED,
        Code.WRONG_DEAL_AMOUNT,
        Code.NO_DEAL,
        Code.NOT_REGISTERED,
        Code.UNKNOWN_HAND,
        Code.UNKNOWN_ROUND,
        Code.UNKNOWN_SOURCE,
        Code.KEY_USED,
        Code.UNKNOWN_TABLE,
        Code.BAD_TABLE_SETTINGS,
        Code.SETTINGS_NOT_OFFERED,
        Code.NOT_HOST,
        Code.STAKES_TOO_HIGH,
        Code.SEAT_NOT_ACCEPTED,
        Code.UNKNOWN_CLUB,
        Code.CLUB_ROLE_NEEDED,
        Code.UNKNOWN_MEMBER,
    }
)
