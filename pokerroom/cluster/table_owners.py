"""Which node owns each table, as far as this node knows.

Three sources are combined: the tables of this node, the announcements of owners over the bus, and the placement that
follows from the directory. An announcement is faster than the directory, and is dropped once the directory agrees. A
node that is not living owns nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pokerroom.table.actor import TableActor


class TableOwners(Mapping[str, str]):
    """The owner of each table by the table's id; tables without a living owner are missing.

    `RoomBus` writes it. Call `changes` after every write: the mapping changes only there.
    """

    def __init__(self, node: str, local: Mapping[str, TableActor]) -> None:
        self._node = node
        self._local = local
        self._living: Collection[str] = (node,)
        self._placed: dict[str, str] = {}
        self._announced: dict[str, tuple[int, str]] = {}
        """Epoch and node of tables that their owners announced, until the directory says the same."""
        self._owners: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        return self._owners[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners)

    def __len__(self) -> int:
        return len(self._owners)

    def living(self, nodes: Sequence[str]) -> None:
        """Set the living nodes, this one among them."""
        self._living = nodes

    def placed(self, owners: Mapping[str, str]) -> None:
        """Set the owners that the directory names."""
        self._placed = dict(owners)
        self._announced = {
            name: (epoch, node) for name, (epoch, node) in self._announced.items() if owners.get(name) != node
        }

    def announced(self, node: str, name: str, epoch: int) -> None:
        """Note that a node announced a table under this epoch. An epoch that is not newer is ignored."""
        here, (known, _) = self._local.get(name), self._announced.get(name, (0, ""))
        if epoch <= max(known, here.epoch if here is not None else 0):
            return
        self._announced[name] = epoch, node
        if self._placed.get(name) == node:
            del self._announced[name]

    def forget_announcement(self, name: str) -> None:
        """Drop what was announced of one table."""
        self._announced.pop(name, None)

    def forget_announcements(self) -> None:
        """Drop all announcements: later ones may have been lost."""
        self._announced.clear()

    def detached(self, name: str) -> None:
        """Note that this node gave the table up, before the directory says so."""
        if self._placed.get(name) == self._node:
            del self._placed[name]

    def changes(self, names: Iterable[str] | None = None) -> Iterator[tuple[str, str | None]]:
        """Work out the owners again, of these tables or of all.

        Yield each table with another owner than before, with its new owner or None.
        """
        if names is None:
            names = dict.fromkeys((*self._placed, *self._announced, *self._local, *self._owners))
        for name in names:
            owner = self._owner(name)
            if owner == self._owners.get(name):
                continue
            if owner is None:
                del self._owners[name]
            else:
                self._owners[name] = owner
            yield name, owner

    def _owner(self, name: str) -> str | None:
        if name in self._local:
            return self._node
        _, announced = self._announced.get(name, (0, None))
        owner = announced if announced in self._living else self._placed.get(name)
        return owner if owner in self._living and owner != self._node else None
