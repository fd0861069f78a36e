"""The protocol as an AsyncAPI document: which message goes which way, and what answers what.

The messages' fields are those of the JSON Schema, which it refers to; order, timing and refusals are prose, in
`protocol/README.md`.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from . import messages as m
from .messages import PROTOCOL_VERSION, ClientMessage, ServerMessage

__all__ = ["ANSWERS", "asyncapi"]

ANSWERS: Final[dict[type, type]] = {
    m.Hello: m.Welcome,
    m.Ping: m.Pong,
    m.Register: m.Authenticated,
    m.LogIn: m.Authenticated,
    m.Resume: m.Authenticated,
    m.LogOut: m.Ok,
    m.GetAccount: m.Account,
    m.ListTables: m.Tables,
    m.Observe: m.Snapshot,
    m.Unobserve: m.Ok,
    m.GetSnapshot: m.Snapshot,
    m.ReserveSeat: m.Reserved,
    m.ReleaseSeat: m.Ok,
    m.JoinWaitlist: m.Waitlisted,
    m.LeaveWaitlist: m.Ok,
    m.SitDown: m.Snapshot,
    m.Act: m.Ok,
    m.PreAct: m.Ok,
    m.CancelPreAct: m.Ok,
    m.SitOut: m.Ok,
    m.SitIn: m.Ok,
    m.TopUp: m.Ok,
    m.SeatOptions: m.Ok,
    m.StandUp: m.Ok,
    m.Chat: m.Ok,
    m.ListSitAndGos: m.SitAndGos,
    m.RegisterSng: m.SngRegistered,
    m.UnregisterSng: m.Ok,
    m.GetStandings: m.Standings,
    m.TakePlace: m.UltimateSnapshot,
    m.PlaceBet: m.Slip,
    m.ChoosePlay: m.Slip,
    m.ChangeBets: m.Slip,
    m.Decide: m.Ok,
    m.GiveTip: m.Ok,
    m.GetSettings: m.Settings,
    m.ChangeSettings: m.Settings,
    m.GetHistory: m.History,
    m.GetHand: m.HandHistory,
    m.GetRound: m.RoundHistory,
    m.GetCashier: m.Cashier,
    m.RequestDeposit: m.CashRequested,
    m.RequestWithdrawal: m.CashRequested,
}
"""What answers each request that is not refused with `error`."""

_CHANNEL: Final = {"$ref": "#/channels/room"}


def asyncapi(schema_file: str) -> dict[str, Any]:
    """The document, as of the room; `schema_file` lies beside it and has the messages' definitions."""
    requests, told = get_args(ClientMessage), get_args(ServerMessage)
    unasked = [
        kind for kind in told if kind not in ANSWERS.values() or kind in {m.Snapshot, m.UltimateSnapshot}
    ]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pokerroom protocol",
            "version": str(PROTOCOL_VERSION),
            "description": "Generated from the message classes by `python -m pokerroom_protocol.schema`. "
            "The contract is `protocol/README.md`: framing, order, resuming, refusals.",
            "license": {"name": "MIT"},
        },
        "servers": {
            "tcp": {
                "host": "127.0.0.1:4190",
                "protocol": "tcp",
                "description": "Four bytes of length, big-endian, then one msgpack map.",
            },
            "websocket": {
                "host": "127.0.0.1:4191",
                "pathname": "/ws",
                "protocol": "ws",
                "description": "One message per WebSocket message; the subprotocol `pokerroom.v1.msgpack` or "
                "`pokerroom.v1.json` is the encoding.",
            },
        },
        "defaultContentType": "application/msgpack",
        "channels": {
            "room": {
                "address": None,
                "description": "One connection; a table is named in each message that concerns one.",
                "messages": {
                    kind.__name__: {"$ref": f"#/components/messages/{kind.__name__}"}
                    for kind in (*requests, *told)
                },
            }
        },
        "operations": {
            **{_tag(kind): _request(kind) for kind in requests},
            "told": {
                "action": "send",
                "channel": _CHANNEL,
                "summary": "Said without being asked: events in the order of `seq`, and words to one alone.",
                "messages": [_message(kind) for kind in unasked],
            },
        },
        "components": {
            "messages": {
                kind.__name__: {
                    "name": _tag(kind),
                    "summary": (kind.__doc__ or "").partition("\n")[0],
                    "payload": {"$ref": f"{schema_file}#/$defs/{kind.__name__}"},
                }
                for kind in (*requests, *told)
            }
        },
    }


def _tag(kind: Any) -> str:
    return str(kind.__struct_config__.tag)


def _message(kind: type) -> dict[str, str]:
    return {"$ref": f"#/channels/room/messages/{kind.__name__}"}


def _request(kind: type) -> dict[str, Any]:
    return {
        "action": "receive",
        "channel": _CHANNEL,
        "messages": [_message(kind)],
        "reply": {"channel": _CHANNEL, "messages": [_message(ANSWERS[kind]), _message(m.Error)]},
    }
