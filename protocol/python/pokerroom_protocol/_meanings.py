"""What fields mean, by their names: a field of one name means the same in every message.

For fields whose class says nothing itself. `Class.field` is for one whose name alone does not tell. A test finds the
field that nobody explains.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

__all__ = ["MEANINGS", "described_schemas", "meaning"]

MEANINGS: Final[dict[str, str]] = {
    "account": "Number of the account, for ever the same",
    "action": "What is decided; see *Deciding* and *Deciding in advance*",
    "all_in": "No chip is left behind; or the clock has decided so",
    "any_table": "Any table of the same game, structure and stakes will do",
    "bet": "Which bet it is",
    "bets": "Each bet of the box, with what goes back for it",
    "big_blind": "The seat that owes the big blind",
    "board": "The board cards so far, in the order in which they were dealt",
    "boxes": "The boxes of the round, in their order",
    "button": "The seat of the button; it may be empty",
    "by_clock": "The room has decided, since the time was up",
    "call_amount": "Chips that a call adds; 0 when a check is possible",
    "can_double": "All bets may be doubled, once in a betting time",
    "can_repeat": "The bets of the last round may be placed again",
    "can_undo": "There is something to take back",
    "cards": "Cards that are dealt or shown",
    "chat": "Whether what others say is shown",
    "check": "Whether a check is legal",
    "closing": "The table takes no new players",
    "code": "Stable, for programs: see *Reference: error codes*",
    "connected": "Whether the holder's client is connected",
    "decision": "What is decided for a box",
    "decisions": "Who is to decide what, until when",
    "fold": "Whether a fold is legal: on the river alone",
    "game": "What is played",
    "hand": "Null between hands",
    "hand_id": "Names a hand, for ever",
    "in_hand": "Dealt in, and not folded",
    "in_time_bank": "The time bank runs: the deadline is its end",
    "info": "The table as in the lobby",
    "kind": "Which forced bet it is",
    "language": "In which the clients speak to the player",
    "level": "The level that holds from the next hand on",
    "light": "Green: bets are taken; yellow: they are for a moment more; red: betting is closed",
    "message": "For people, in English; no part of the contract",
    "muck_losing": "A beaten hand is not shown at the showdown",
    "multiple": "Antes of a Play that is placed before the deal, on an extra box",
    "name": "Of a player",
    "number": "His own number in the standings, 1 the best: nobody shares it, and its prize is his",
    "occupied": "Seats that are taken or held",
    "offer": "Names an offer of sit-and-gos",
    "password": "A secret; the room keeps only a hash of it",
    "phase": "How far the tournament has come, or how it ended",
    "place": "Where he has finished; who tie share one",
    "post": "Post a big blind, and what was missed, at once instead of waiting for the big blind",
    "pots": "The main pot first; bets of the present street are not in them",
    "reason": "Why it has ended",
    "refused": "Your bets that do not stand, with the reason; empty in the copies of all others",
    "round_id": "Names a round, for ever; the UTC time of its start is in it",
    "seat": "Number of a seat, clockwise from 1",
    "server": "Name and version of the room, for people",
    "settings": "All of them, as they are now",
    "shares": "Who wins how much of it",
    "side_bets": "Whether the clients show the bets beside the Ante",
    "sits_out_next_big_blind": "Plays on until the big blind would be his",
    "small_blind": "The seat that posts the small blind; null: nobody posts it in this hand",
    "source": "Where the money comes from or goes to, by the operator's name for it",
    "stacks": "Of all who were dealt in, after the hand",
    "state": "See the table of states in *A table*",
    "status": "What the seat does: see *Seats*",
    "straddle": "Posts a straddle whenever first left of the big blind",
    "street": "Where the hand is",
    "structure": "How much may be bet",
    "table": "Names a table",
    "text": "What is said, in one line",
    "time_bank_ms": "What is left of the player's time bank, milliseconds",
    "token": "The secret of the session",
    "tournament": "Names a tournament, and its table; `<offer>.<number>`",
    "turn": "The decision that is awaited; null while none is",
    "version": "Of the protocol: 1",
    "void": "The hand did not count: every stack is as at its start",
    "your_options": "Null without a seat",
    "your_pre_act": "Null where nothing is decided in advance",
    "your_seat": "Null without a seat",
    "Account.tables": "Where the account has a seat",
    "Authenticated.tables": "Where the account has a seat: `observe` them",
    "BankResult.qualifies": "Whether its hand is good enough for the Ante to be paid",
    "BoardDealt.street": "Which board cards have come",
    "BoxBetsView.status": "What the box has decided in this round",
    "BoxDecision.street": "When it was decided",
    "BoxResult.outcome": "Of the box against the bank; side bets do not follow it",
    "BreakEnded.level": "The level that begins",
    "CashRequestView.kind": "Which way the money goes",
    "CashRequested.request": "It waits for the operator's word",
    "Cashier.requests": "Those of the account, the newest first",
    "Decisions.check": "Whether a check is legal: before the river",
    "DecisionsView.check": "Whether a check is legal: before the river",
    "GetHistory.limit": "So many entries at most",
    "HandHistory.hand": "The hand as this account may see it",
    "HandHistoryView.button": "The seat of the button; it may be empty",
    "HandHistoryView.seats": "Who was dealt in",
    "HandHistoryView.steps": "All that happened, in order",
    "HandHistoryView.your_seat": "The account's own seat in the hand",
    "HandStarted.seats": "Who is dealt in, from the first left of the button",
    "HandStep.what": "What happened",
    "HandsDealt.hands": "The cards that you may see: those of your boxes, or the one hand that all play",
    "History.entries": "The newest first",
    "HoleCards.cards": "Your two cards; null in the copies of all others",
    "LevelView.level": "Counted from 1",
    "PayRow.pays": "So much is paid",
    "PayRow.to": "for so much of the bet; the bet itself comes back with it",
    "Prize.meter_bps": "In 1/100 % of the meter; null where the prize is fixed",
    "ProgressiveInfo.prizes": "What wins how much, the best hand first",
    "Register.name": "How others see you; unique without regard to upper and lower case",
    "RoundEnded.void": "The round did not count: every bet goes back",
    "RoundHistory.round": "The round as this account may see it",
    "RoundHistoryView.board": "The five board cards",
    "RoundHistoryView.decisions": "All decisions of all boxes, in order",
    "RoundHistoryView.void": "The round did not count: every bet went back",
    "RoundView.decisions": "Null while nobody is to decide",
    "RoundView.street": "Where the round is",
    "SitAndGoInfo.level_unit": "In what the lengths of levels are counted",
    "SitAndGoInfo.levels": "In their order; after the last one blinds and antes double with each further level",
    "SitAndGoInfo.name": "What the offer is called, for people",
    "SitAndGoInfo.seats": "So many players, no more and no fewer",
    "SitAndGos.sit_and_gos": "All offers of the room, in the order of its settings",
    "Slip.slip": "Your bets as they are now",
    "SlipBet.play": "Antes of the Play that is placed before the deal; 0: none",
    "SlipView.bets": "By box",
    "Snapshot.seats": "The taken seats, in the order of their numbers",
    "Standings.seats": "So many players",
    "StreetDealt.cards": "The board cards that are new",
    "TableInfo.name": "What the table is called, for people",
    "TableInfo.seats": "How many seats the table has",
    "Tables.tables": "All tables of the room, in the order of its settings",
    "Tables.ultimate": "All tables against the house, in the order of the room's settings",
    "TournamentResumed.level": "The level of the clock",
    "TournamentView.level": "The level of the clock",
    "TournamentView.seats": "So many players",
    "UltimateInfo.blind_pays": "The Blind's pay table, the best hand first; what it does not name is a push",
    "UltimateInfo.name": "What the table is called, for people",
    "UltimateInfo.occupied": "Places that are taken",
    "UltimateInfo.progressive": "Null where there is no progressive bet",
    "UltimateInfo.qualification": "What the bank needs for the Ante to be paid",
    "UltimateInfo.seating": "Each box has its own cards, or all play one hand",
    "UltimateInfo.trips_pays": "Trips' pay table, the best hand first; what it does not name loses",
    "UltimateSnapshot.light": "Whether bets are taken, and until when",
    "UltimateSnapshot.places": "Who has which place",
    "UltimateSnapshot.round": "Null between rounds",
    "UltimateSnapshot.your_slip": "Null without a place",
}


def described_schemas(kinds: Iterable[Any], ref_template: str) -> dict[str, dict[str, Any]]:
    """JSON Schemas of the classes and of their parts, by class; every field has a description."""
    _, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    for name, definition in definitions.items():
        for field, schema in definition.get("properties", {}).items():
            said = MEANINGS.get(f"{name}.{field}") or MEANINGS.get(field)
            if field != "type" and said is not None and not meaning(schema):
                schema["description"] = said
    return dict(sorted(definitions.items()))


def meaning(schema: dict[str, Any]) -> str:
    """What a field's schema says of it, be it inside; empty if nothing."""
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")
