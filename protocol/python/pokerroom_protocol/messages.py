"""Every message of protocol v1, as a typed class: what a client may send, what the room may send.

Each class is declared once, in one of the modules below: its fields with bounds and meanings, its examples, and for a
request its sender, answers and refusals. The JSON Schema, the AsyncAPI document, the test vectors and the reference in
`protocol/reference.md` follow from the declarations (`schema`). This module knows neither bytes (see `codec`) nor
connections.

Conventions: amounts are integers in the smallest unit of the game (1/100 credit at cash tables); bets are street totals
("raise to"); cards are two characters, rank then suit (`As`, `Td`); times are milliseconds since the Unix epoch by the
room's clock; seats count from 1.
"""

from __future__ import annotations

from ._account import *
from ._account_requests import *
from ._announcements import *
from ._answers import *
from ._chip_sales import *
from ._clubs import *
from ._deals import *
from ._events import *
from ._fields import *
from ._hosting import *
from ._leagues import *
from ._notes import *
from ._private_sit_and_gos import *
from ._protection import *
from ._requests import *
from ._scheduled import *
from ._sharing import *
from ._sit_and_go import *
from ._sit_and_go_events import *
from ._statistics import *
from ._tournaments import *
from ._ultimate import *
from ._ultimate_events import *
from ._ultimate_requests import *
from ._views import *

ClientMessage = (
    HoldemMessage
    | SitAndGoMessage
    | TournamentMessage
    | ScheduledMessage
    | LeagueMessage
    | DealMessage
    | ChipSaleMessage
    | UltimateMessage
    | AccountMessage
    | ExportHands
    | SecurityMessage
    | DeleteAccount
    | ProtectionMessage
    | HostingMessage
    | TablePasswordMessage
    | ClubMessage
    | SharingMessage
    | GetSharedHand
    | Recover
)
"""All that a client may send; `HoldemMessage` includes the requests that all games share."""

TableRequest = TableMessage | DealMessage | UltimateMessage
"""All that the gateway routes to a table, of any game."""

TableEvent = HoldemEvent | TournamentEvent | UltimateEvent

ServerMessage = (
    RoomAnswer
    | UltimateAnswer
    | SitAndGoAnswer
    | DealAnswer
    | TournamentAnswer
    | ScheduledAnswer
    | LeagueAnswer
    | ChipsBought
    | SngNotice
    | AccountAnswer
    | ProtectionAnswer
    | ProtectionNotice
    | Announcements
    | HostingAnswer
    | ClubAnswer
    | SharingAnswer
    | TableEvent
)
"""All that the room may send."""
