"""Checks notes about players: each account is told those that it may have made, and no others."""

from __future__ import annotations

from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

_Noted = tuple[str, str | None, str | None]


class PrivateNoteChecker:
    """`asked` hears what an account asks, `answered` what it is told.

    A request may be carried out although its answer was lost, so a note is one of those that the account has asked for.
    """

    def __init__(self, wrong: Blame) -> None:
        self._wrong = wrong
        self._made: dict[str, set[_Noted]] = {}

    def asked(self, name: str, request: wire.Request) -> None:
        """Note what the account of this name wants to store."""
        if isinstance(request, wire.SetPlayerNote):
            noted = request.player.lower(), request.text, request.color
            self._made.setdefault(name, set()).add(noted)

    def answered(self, name: str, request: wire.Request, answer: wire.ServerMessage) -> None:
        """Compare what the account is told with what it has stored."""
        if not isinstance(answer, wire.PlayerNotes) or not isinstance(request, wire.GetPlayerNotes):
            return
        told = [(note.player.lower(), note.text, note.color) for note in answer.notes]
        if foreign := len([noted for noted in told if noted not in self._made.get(name, ())]):
            self._wrong(Kind.NOTES, "", "", f"{name} is told {foreign} notes that it has not made")
        wanted = None if request.players is None else {player.lower() for player in request.players}
        if wanted is not None and not wanted.issuperset(player for player, _, _ in told):
            self._wrong(Kind.NOTES, "", "", f"{name} is told notes about players it did not ask for")
