"""What the journal keeps of the seats: facts that the ledger does not have, written before clients are told.

Between hands an entry takes the place of all before it; during a hand it stands beside the steps. Knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.poker import recovery
from pokerroom.poker.hand_state import HandInProgress
from pokerroom.poker.journal import SeatingFacts, SeatsChanged, TableClosing, encode
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.outbox import Batch
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire


class SeatJournal:
    """Writes the seats of one table; `facts` returns what the ledger does not know of them."""

    def __init__(
        self, hand: HandInProgress, writer: JournalWriter, facts: Callable[[], SeatingFacts]
    ) -> None:
        self._hand = hand
        self._writer = writer
        self._facts = facts

    def note(self) -> None:
        """A seat was taken, bought or left, or its player is away."""
        self.note_facts(Batch())

    def confirm(self, viewer: Viewer, message: wire.Request) -> None:
        """Journal a request of a seat's holder that the ledger does not know, then answer `ok`."""
        self.note_facts(Batch(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))]))

    def note_closing(self, *, closing: bool) -> None:
        """The operator has closed or opened the table, frozen or not; it says nothing else [D]."""
        self._writer.note(encode(TableClosing(closing=closing)), first=False)

    def note_facts(self, batch: Batch) -> None:
        """Journal how the seats stand; `batch` leaves when that is stored.

        The entries of a hand stay, and so do those of a frozen table: the operator's order may be one of them.
        """
        stays = self._hand.play is not None or self._hand.lifecycle.frozen
        entry = encode(SeatsChanged(facts=self._facts())) if stays else self.between_hands()
        self._writer.write(entry, batch, first=not stays)

    def keep(self) -> None:
        """Journal the button and the seats between hands; nothing waits for it."""
        self._writer.replace(self.between_hands())

    def between_hands(self) -> bytes:
        """Return that entry, as it would be now; a hand in progress is no part of it."""
        return recovery.table_entry(self._hand.positions, self._facts())
