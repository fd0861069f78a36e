"""The stable error codes of protocol v1, each with the sentence a person reads.

A code never changes its meaning within v1; new ones may be added, and a client treats an unknown one as a
refusal.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Code(StrEnum):
    """Why the room refused a message or closed a connection."""

    sentence: str

    def __new__(cls, code: str, sentence: str = "") -> Self:
        """A member is its code; `sentence` is what a person reads."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    # the frame stream is broken: the connection is closed after these
    FRAME_TOO_LARGE = "frame_too_large", "The frame is larger than the room accepts."
    TOO_SLOW = "too_slow", "The client does not read fast enough; reconnect and resume."
    IDLE = "idle", "Nothing was heard from the client for too long."
    TAKEN_OVER = "taken_over", "The account went on over another connection."
    SHUTTING_DOWN = "shutting_down", "The room is shutting down; reconnect and resume."
    # the frame cannot be taken as a message: the connection stays open
    BAD_ENCODING = "bad_encoding", "The frame is not one valid value of the connection's encoding."
    BAD_MESSAGE = "bad_message", "A field is missing, unknown, or of the wrong type or size."
    UNKNOWN_MESSAGE = "unknown_message", "There is no message of this type."
    RATE_LIMITED = "rate_limited", "Too many messages; slow down."
    # connection and account
    HELLO_FIRST = "hello_first", "Say hello before anything else."
    ALREADY_GREETED = "already_greeted", "Hello was said already on this connection."
    UNSUPPORTED_VERSION = "unsupported_version", "The room does not speak this version of the protocol."
    NOT_AUTHENTICATED = "not_authenticated", "Register, log in or resume first."
    ALREADY_AUTHENTICATED = "already_authenticated", "This connection is logged in already."
    BAD_CREDENTIALS = "bad_credentials", "Name and password do not match."
    NAME_TAKEN = "name_taken", "An account of this name exists."
    SESSION_UNKNOWN = "session_unknown", "The session has ended or never existed; log in."
    # tables and seats
    UNKNOWN_TABLE = "unknown_table", "There is no such table."
    NOT_OBSERVING = "not_observing", "Observe the table first."
    NOT_SEATED = "not_seated", "You have no seat at this table."
    SEATED_HERE = "seated_here", "You have a seat at this table; stand up first."
    ALREADY_SEATED = "already_seated", "You have a seat at this table already."
    TOO_MANY_TABLES = "too_many_tables", "You sit at as many tables as an account may."
    NO_SUCH_SEAT = "no_such_seat", "The table has no seat of this number."
    SEAT_TAKEN = "seat_taken", "The seat is taken."
    CHAT_OFF = "chat_off", "There is no chat at this table."
    SEAT_HELD = "seat_held", "The seat is held for somebody else who is buying in."
    SEAT_COOLDOWN = (
        "seat_cooldown",
        "You have held seats here again and again without buying in; sit down at once, or wait.",
    )
    NO_SEAT_HELD = "no_seat_held", "No seat is held for you at this table."
    TABLE_FULL = "table_full", "The table has no free seat."
    WAITING_LIST = "waiting_list", "Others wait for this seat; join the waiting list."
    ALREADY_WAITING = "already_waiting", "You are on this waiting list already."
    NOT_WAITING = "not_waiting", "You are not on this waiting list."
    BRING_BACK = "bring_back", "You left this table with more a short while ago; bring at least that."
    NO_STRADDLE = "no_straddle", "There is no straddle at this table."
    BUY_IN_TOO_SMALL = "buy_in_too_small", "The buy-in is below the table's minimum."
    BUY_IN_TOO_LARGE = "buy_in_too_large", "The chips would exceed the table's maximum buy-in."
    INSUFFICIENT_BALANCE = "insufficient_balance", "The wallet does not hold this amount."
    REQUEST_PENDING = "request_pending", "An earlier request of yours at this table is not finished yet."
    NO_CHIPS = "no_chips", "You have no chips at this table; top up first."
    NOT_PLAYING = "not_playing", "You sit out already."
    ALREADY_PLAYING = "already_playing", "You are playing already."
    LEAVING = "leaving", "You are leaving this table."
    TABLE_CLOSING = "table_closing", "The table takes no new players."
    # actions in a hand
    NO_HAND = "no_hand", "No hand is in progress at this table."
    WRONG_HAND = "wrong_hand", "The action names another hand than the one in progress."
    STALE_SEQ = "stale_seq", "The action does not answer the turn that is awaited."
    NOT_YOUR_TURN = "not_your_turn", "It is another player's turn."
    CANNOT_CHECK = "cannot_check", "There is a bet to call."
    NOTHING_TO_CALL = "nothing_to_call", "There is nothing to call."
    AMOUNT_REQUIRED = (
        "amount_required",
        "A bet or raise needs its total for the street, a pre-action its price.",
    )
    AMOUNT_NOT_ALLOWED = "amount_not_allowed", "This action has no amount."
    RAISE_NOT_ALLOWED = "raise_not_allowed", "The betting is not open to a raise by you."
    RAISE_TOO_SMALL = "raise_too_small", "The raise is below the minimum."
    RAISE_TOO_LARGE = "raise_too_large", "The raise is above the maximum."
    YOUR_TURN = "your_turn", "It is your turn: act."
    PRICE_CHANGED = "price_changed", "What a call costs has changed; look again."
    NOT_IN_HAND = "not_in_hand", "You have no decision to make in this hand."
    # a round against the house
    WRONG_GAME = "wrong_game", "Another game is played at this table."
    NO_WAITING_LIST = "no_waiting_list", "There is no waiting list at this table."
    BETTING_CLOSED = "betting_closed", "Betting is closed; wait for the next round."
    NO_SUCH_BET = "no_such_bet", "The table does not have this bet."
    NO_SUCH_BOX = "no_such_box", "The table has no box of this number."
    BOX_TAKEN = "box_taken", "The box is somebody else's."
    BAD_AMOUNT = "bad_amount", "A bet is at least one unit."
    ABOVE_MAXIMUM = "above_maximum", "The bet would be above the table's maximum."
    BELOW_MINIMUM = "below_minimum", "The bet was below the table's minimum when betting closed."
    ANTE_NOT_EVEN = "ante_not_even", "The Ante must be an even number of units: the Blind is paid 3 to 2."
    ANTE_NEEDED = "ante_needed", "This bet needs an Ante on its box."
    OWN_BOX_NEEDED = "own_box_needed", "An extra box needs an Ante on your own."
    PLAY_NEEDED = "play_needed", "An extra box needs its Play before the deal."
    HOUSE_LIMIT = "house_limit", "With this bet the house would risk more in the round than it will."
    NOT_PRESENT = "not_present", "You were away when betting closed; nothing was paid."
    NOTHING_TO_UNDO = "nothing_to_undo", "There is nothing to take back."
    NOTHING_TO_DOUBLE = "nothing_to_double", "There is no bet that can be doubled."
    DOUBLED_ALREADY = "doubled_already", "The bets were doubled already."
    NOTHING_TO_REPEAT = "nothing_to_repeat", "You had no bets in the last round."
    BETS_PLACED = "bets_placed", "The last round's bets are repeated before any other is placed."
    WRONG_ROUND = "wrong_round", "The message names another round than the one in progress."
    ROUND_OVER = "round_over", "No round is in progress."
    NOT_YOUR_BOX = "not_your_box", "You have no such box in this round."
    DECIDED_ALREADY = "decided_already", "This box was decided on."
    CANNOT_FOLD = "cannot_fold", "A box is folded on the river alone."
    PLAY_NOT_ALLOWED = "play_not_allowed", "A Play cannot be that large on this street."
    # sit-and-gos
    UNKNOWN_OFFER = "unknown_offer", "There is no such sit-and-go."
    UNKNOWN_TOURNAMENT = "unknown_tournament", "There is no such tournament, and never was one."
    TOURNAMENT_TABLE = "tournament_table", "This cannot be done at a tournament's table."
    REGISTRATION_CLOSED = "registration_closed", "The tournament has started, or was cancelled."
    TOURNAMENT_FULL = "tournament_full", "All seats are taken; try again for the next tournament."
    ALREADY_REGISTERED = "already_registered", "You have a seat in this sit-and-go already."
    NOT_REGISTERED = "not_registered", "You have no seat in this sit-and-go."
    TOURNAMENT_NOT_FULL = "tournament_not_full", "Players are missing."
    TOURNAMENT_NOT_RUNNING = "tournament_not_running", "The tournament has not started, or is over."
    TOURNAMENT_PRIZES_WON = (
        "tournament_prizes_won",
        "A prize is won already: the tournament is rolled forward, or played on.",
    )
    # the account
    UNKNOWN_HAND = "unknown_hand", "You have played no such hand, or it is not over."
    UNKNOWN_ROUND = "unknown_round", "You have played no such round, or it is not over."
    UNKNOWN_SOURCE = "unknown_source", "The cashier has no such source, or it is closed."
    KEY_USED = "key_used", "This key was used for another request."
    TOO_MANY_REQUESTS = "too_many_requests", "So many of your requests wait for the operator already."
    # the room
    TABLE_FROZEN = "table_frozen", "The table is frozen; no chip is lost, and the operator knows."
    UNAVAILABLE = "unavailable", "The room cannot do this right now; try again."
    INTERNAL = "internal", "A fault of the room; nothing has changed."
