"""A reference server of an operator's wallet: real HTTP, a book of its own, and faults by order.

It follows `deploy/operations/wallet.md` and shares no code with the room. A fault is used up by the next call.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections import Counter, deque
from typing import Any

FAULTS = (
    "lost",  # the call does not arrive
    "unanswered",  # it is carried out, and no answer comes
    "error",  # 500, not carried out
    "error after",  # 500, carried out
    "twice",  # it is delivered twice
    "page",  # 200 with a page of a proxy, not carried out
    "other id",  # carried out; the answer is that of another call
    "late",  # no answer; it is carried out after the next call
    "chunked",  # a firm answer in chunks
)


class WalletServer:
    """Balances of players, and what was done under each id. `total` is constant less what the room holds."""

    def __init__(self, secret: bytes, **balances: int) -> None:
        self.balances = dict(balances)
        self.faults: deque[str] = deque()
        self.calls: list[dict[str, Any]] = []
        self.moved: Counter[str] = Counter()
        self._secret = secret
        self._answers: dict[str, dict[str, Any]] = {}
        self._bodies: dict[str, Any] = {}
        self._undone: set[str] = set()
        self._late: list[dict[str, Any]] = []
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def total(self) -> int:
        """What all players have here."""
        return sum(self.balances.values())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/wallet"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await self._server.wait_closed()

    # --- the book -----------------------------------------------------------------------------------------------------

    def carried_out(self, call: dict[str, Any]) -> dict[str, Any]:
        """Carry a call out, once for each id; the same answer again for the same id."""
        name, kind, data = call["id"], call["type"], call["data"]
        if name in self._answers:
            assert self._bodies[name] == (kind, data), "an id has other content"
            return {**self._answers[name], "balance": self.balances.get(data["player"], 0)}
        answer = {"id": name, **self._done(name, kind, data)}
        if kind != "wallet.balance":
            self._answers[name], self._bodies[name] = answer, (kind, data)
        return {**answer, "balance": self.balances.get(data["player"], 0)}

    def _done(self, name: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        player, amount = data["player"], data.get("amount", 0)
        if player not in self.balances:
            return {"result": "refused", "reason": "unknown_player"}
        match kind:
            case "wallet.balance":
                return {"result": "done"}
            case "wallet.debit" if name in self._undone:  # its rollback came first
                return {"result": "refused", "reason": "rolled_back"}
            case "wallet.debit" if self.balances[player] < amount:
                return {"result": "refused", "reason": "insufficient_funds"}
            case "wallet.debit":
                self.balances[player] -= amount
            case "wallet.credit":
                self.balances[player] += amount
            case "wallet.rollback":
                debit = data["debit"]
                if self._answers.get(debit, {}).get("result") == "done" and debit not in self._undone:
                    self.balances[player] += amount
                self._undone.add(debit)
        self.moved[kind] += 1
        return {"result": "done"}

    def check_signature(self, headers: dict[str, str], body: bytes) -> None:
        """Refuse a call that the room has not signed, by the rules of Standard Webhooks."""
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(self._secret, content, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
        assert headers["webhook-id"] == json.loads(body)["id"]

    # --- HTTP ---------------------------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = dict(one.split(": ", 1) for one in head.strip().split("\r\n")[1:])
            body = await reader.readexactly(int(headers["content-length"]))
            self.check_signature(headers, body)
            answer = self._answer(json.loads(body))
            if answer is None:
                await reader.read()  # until the room gives up
            else:
                writer.write(answer)
                await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    def _answer(self, call: dict[str, Any]) -> bytes | None:
        self.calls.append(call)
        fault = self.faults.popleft() if self.faults else ""
        if fault in _NOT_DONE:
            if fault == "late":
                self._late.append(call)
            return _NOT_DONE[fault]
        answer = self.carried_out(call)
        if fault == "twice":
            assert self.carried_out(call) == answer
        while self._late:
            self.carried_out(self._late.pop())
        if fault == "unanswered":
            return None
        if fault == "error after":
            return _http(500, b"oops")
        if fault == "other id":
            answer = {**answer, "id": "wt_" + "0" * 32}
        text = json.dumps(answer).encode()
        if fault == "chunked":
            parts = [text[:7], text[7:], b""]
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
            return b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunks
        return _http(200, text)


def _http(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d Whatever\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


_NOT_DONE = {
    "lost": None,
    "late": None,
    "error": _http(500, b"oops"),
    "page": _http(200, b"<html>maintenance</html>"),
}
"""Answers to calls that are not carried out, or only later."""
