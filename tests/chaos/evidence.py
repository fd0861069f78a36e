"""What every client was told, kept as far as the checks need it; what is wrong in it at once is noted at once.

All clients of the run tell one `Evidence` what they hear and which of their actions were acknowledged. It knows the
messages of the protocol and nothing of how a room works. `C1` to `C8` name what must hold:

    C1 chips constant                      C5 an acknowledged action is in its hand, or the hand is void
    C2 each transfer sums to zero          C6 one epoch writes a table at a time
    C3 each hand ends exactly once         C7 no hidden card is seen
    C4 each prize is paid once             C8 progress within the recovery time
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pokerroom_protocol import messages as m
from tests.chaos.hands import Hand, Wipe
from tests.chaos.reading import Heard

WINDOW: Final = 20_000
"""So many numbered events of a table are compared with what others were told under the same numbers."""

KEPT_LINES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that must not be. `check` is C1 to C8; `at_s` is in seconds since the run began."""

    check: str
    at_s: float
    table: str
    hand_id: str
    line: str


class _Numbers:
    """The numbered events of one table, as anybody was told them."""

    def __init__(self) -> None:
        self.told: dict[int, m.TableEvent] = {}
        self._order: deque[int] = deque()

    def differs(self, event: m.TableEvent) -> bool | None:
        """None if no client was told this number before; else whether they were told something else."""
        public = event
        if isinstance(event, m.HoleCards):
            public = msgspec.structs.replace(event, cards=None)
        elif isinstance(event, m.Turn):  # the player to act alone is told what the clock will do
            public = msgspec.structs.replace(event, on_timeout=None)
        known = self.told.get(event.seq)
        if known is not None:
            return known != public
        self.told[event.seq] = public
        self._order.append(event.seq)
        if len(self._order) > WINDOW:
            self.told.pop(self._order.popleft(), None)
        return None


class Evidence:
    """See the module. `now` is in seconds since the run began, `wall` what the clocks of the room show."""

    def __init__(self, now: Callable[[], float], wall: Callable[[], float] = time.time) -> None:
        self._now = now
        self._wall = wall
        self.hands: dict[str, Hand] = {}
        self.latest: dict[str, str] = {}
        """Table -> the hand that was told last to begin or to be in progress; empty after a snapshot without one."""
        self.violations: list[Violation] = []
        self.violation_count = 0
        self.by_check: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.prompts: defaultdict[str, list[float]] = defaultdict(list)
        """Table -> when it told a new turn or hand, each when the first client heard it."""
        self.actions_at: list[float] = []
        self.ends_at: list[float] = []
        self._held: Collection[str] | None = None
        """While no hand can be settled: those that are."""
        self.wipes: list[Wipe] = []
        self.missing: Mapping[str, Collection[float]] = {}
        """Table -> when a node found entries of its journal missing, by the wall clock; known at the end."""
        self.follows: dict[tuple[str, str], str] = {}
        """(client, table) -> the hand that they were told of last, while they were not told what became of it."""
        self.hooks: list[Callable[[m.TableEvent], None]] = []
        """Called with every event that no client was told before."""
        self._numbers: defaultdict[str, _Numbers] = defaultdict(_Numbers)
        self._highest: dict[tuple[str, str], int] = {}
        """(client, table) -> the largest number that they were told, over all their connections."""
        self._last_turn: dict[str, int] = {}

    def blame(self, check: str, table: str, hand_id: str, line: str) -> None:
        """Notes a violation; all are counted, the first ones kept."""
        self.violation_count += 1
        self.by_check[check] += 1
        if len(self.violations) < KEPT_LINES:
            self.violations.append(
                Violation(check=check, at_s=self._now(), table=table, hand_id=hand_id, line=line)
            )

    @contextmanager
    def wipe(self, *, numbers_again: bool = True) -> Iterator[Wipe]:
        """Redis loses everything within, unless `lost` is set otherwise. Whether numbers of events are used again."""
        now_s = self._wall()
        wipe = Wipe(from_s=now_s, until_s=now_s)
        if numbers_again:
            self._forget_all_numbers()
        try:
            yield wipe
        finally:
            if numbers_again:
                self._forget_all_numbers()
            wipe.until_s = self._wall()
            self.wipes.append(wipe)

    @contextmanager
    def settled_alone(self, hands: Collection[str]) -> Iterator[None]:
        """Within no hand but these is settled, and none can be: no client may be told another one's result."""
        self._held = hands
        try:
            yield
        finally:
            self._held = None

    def _result(self, hand: Hand) -> None:
        """A client is told the result of a hand, or a part of it."""
        if hand.result_s is not None:
            return
        hand.result_s = self._wall()
        if self._held is not None and hand.hand_id not in self._held:
            self.blame("C3", hand.table, hand.hand_id, "its result is told before it can have been committed")

    def _forget_all_numbers(self) -> None:
        self._numbers.clear()
        self._highest.clear()
        self._last_turn.clear()

    def _forget_numbers(self, table: str) -> None:
        self._numbers.pop(table, None)
        self._last_turn.pop(table, None)
        for key in [key for key in self._highest if key[1] == table]:
            del self._highest[key]

    # --- what clients tell ------------------------------------------------------------------------------------

    def acknowledged(self, client: str, act: m.Act) -> None:
        """A client was told `ok` to an action."""
        hand = self._hand(act.table, act.hand_id)
        said = (client, act.seq, act.action, act.amount)
        for known in hand.acknowledged:
            if known[:2] == said[:2] and known != said:
                self.blame(
                    "C5", act.table, act.hand_id, f"{client} had {known[2]} and {said[2]} acknowledged"
                )
        if said not in hand.acknowledged:
            hand.acknowledged.append(said)

    def heard(self, client: str, heard: Heard, last_seq: int | None) -> None:
        """A client was told this. `last_seq` is the last number that it was told of that table on this connection."""
        message = heard.message
        if heard.cards:
            self._cards(client, message, heard.cards)
        if isinstance(message, m.Event):
            self._event(client, message, last_seq)
        elif isinstance(message, m.Snapshot):
            self._snapshot(client, message)

    def _hand(self, table: str, hand_id: str) -> Hand:
        hand = self.hands.get(hand_id)
        if hand is None:
            hand = self.hands[hand_id] = Hand(table=table, hand_id=hand_id)
        elif hand.table != table:
            self.blame("C6", table, hand_id, f"the hand is told of at {hand.table}, too")
        return hand

    def _event(self, client: str, event: m.TableEvent, last_seq: int | None) -> None:
        table, seq = event.table, event.seq
        if last_seq is not None and seq <= last_seq:
            self.blame("C6", table, "", f"{client} is told {seq} after {last_seq}")
        gap = last_seq is not None and seq > last_seq + 1
        if gap:
            self.counts["gaps"] += 1
        highest = self._highest.get((client, table), 0)
        if seq > highest:
            self._highest[client, table] = seq
        differs = self._numbers[table].differs(event)
        if differs:
            other = self._numbers[table].told[seq]
            kinds = f"{type(other).__name__} and {type(event).__name__}"
            self.blame("C6", table, str(getattr(event, "hand_id", "")), f"{seq} is told in two ways: {kinds}")
        if hasattr(event, "hand_id"):
            hand = self._hand(table, event.hand_id)
            self._follow(client, hand, gap=gap)
            self._hand_event(client, event, hand)
            if differs is None and isinstance(event, m.Acted):
                hand.acted_s = self._wall()
        if differs is None:
            self._first_told(event)

    def _follow(self, client: str, hand: Hand, *, gap: bool) -> None:
        """After a gap they have missed something, and ask for a snapshot; else they are told how each hand ends."""
        before = self.follows.get((client, hand.table), hand.hand_id)
        if before != hand.hand_id and not gap:
            line = f"{client} is told of hand {hand.hand_id}, and never what became of this one"
            self.blame("C3", hand.table, before, line)
        self.follows[client, hand.table] = hand.hand_id

    def _first_told(self, event: m.TableEvent) -> None:
        match event:
            case m.Turn():
                self._prompted(event.table, event.seq)
            case m.HandStarted():
                self._prompted(event.table, None)
            case m.Acted():
                self.actions_at.append(self._now())
                self.counts["turns_lost"] += event.by_clock
            case m.HandEnded():
                self.ends_at.append(self._now())
            case m.TableNotice():
                self.counts[f"notice_{event.state}"] += 1
            case _:
                pass
        for hook in list(self.hooks):
            hook(event)

    def _prompted(self, table: str, turn_seq: int | None) -> None:
        if turn_seq is not None:
            self._last_turn[table] = turn_seq
        self.prompts[table].append(self._now())

    def _hand_event(self, client: str, event: Any, hand: Hand) -> None:  # noqa: C901, PLR0912 -- one case per event
        match event:
            case m.HandStarted():
                start = {seat.seat: (seat.name, seat.stack) for seat in event.seats}
                self._same("C3", hand, "start", start)
                self.latest[hand.table] = hand.hand_id
                self._no_end_before(client, hand, "begins")
            case m.HoleCards() if event.cards is not None:
                self._own(client, hand, tuple(event.cards))
            case m.StreetDealt():
                known = hand.streets.setdefault(event.street, tuple(event.cards))
                if known != tuple(event.cards):
                    self.blame("C3", hand.table, hand.hand_id, f"two different cards on the {event.street}")
            case m.Shown():
                known = hand.shown.setdefault(event.seat, tuple(event.cards))
                if known != tuple(event.cards):
                    self.blame("C3", hand.table, hand.hand_id, f"seat {event.seat} shows two different hands")
            case m.Acted():
                hand.acted[event.seq] = (event.seat, event.action, event.added, event.bet)
                self._no_end_before(client, hand, "goes on")
            case m.PotAwarded():
                self._result(hand)
                award = (event.amount, tuple((share.seat, share.amount) for share in event.shares))
                if (client, event.pot) in hand.awarded:
                    self.blame("C4", hand.table, hand.hand_id, f"{client} is told of pot {event.pot} twice")
                hand.awarded.add((client, event.pot))
                if hand.awards.setdefault(event.pot, award) != award:
                    self.blame("C4", hand.table, hand.hand_id, f"pot {event.pot} is awarded in two ways")
                if sum(share.amount for share in event.shares) + (event.rake or 0) != event.amount:
                    self.blame("C1", hand.table, hand.hand_id, f"pot {event.pot} is not what its shares are")
            case m.HandEnded():
                self._ended(client, hand, event)
            case _:
                pass

    def _no_end_before(self, client: str, hand: Hand, what: str) -> None:
        if client in hand.ends:
            self.blame("C3", hand.table, hand.hand_id, f"{client} is told that it {what} after its end")

    def _ended(self, client: str, hand: Hand, event: m.HandEnded) -> None:
        if client in hand.ends:
            self.blame("C3", hand.table, hand.hand_id, f"{client} is told of the end twice")
        if any(void != event.void for void in hand.ends.values()):
            self.blame("C3", hand.table, hand.hand_id, "the hand is void and settled")
        hand.ends[client] = event.void
        self.follows.pop((client, hand.table), None)
        if not event.void:
            self._result(hand)
        elif hand.void_s is None:
            hand.void_s = self._wall()
        stacks = {seat.seat: seat.stack for seat in event.stacks}
        self._same("C3", hand, "end_stacks", stacks)
        if hand.start is None:
            return
        before = {seat: stack for seat, (_, stack) in hand.start.items()}
        if event.void and stacks != before:
            self.blame("C1", hand.table, hand.hand_id, f"void, but from {before} to {stacks}")
        rake = 0 if event.void else hand.rake
        if sum(stacks.values()) + rake != sum(before.values()):
            self.blame("C1", hand.table, hand.hand_id, f"from {before} to {stacks}")

    def _same(self, check: str, hand: Hand, name: str, value: Any) -> None:
        known = getattr(hand, name)
        if known is None:
            setattr(hand, name, value)
        elif known != value:
            self.blame(check, hand.table, hand.hand_id, f"{name}: {known} is told, and {value}")

    def _own(self, client: str, hand: Hand, cards: tuple[str, ...]) -> None:
        if hand.own.setdefault(client, cards) != cards:
            self.blame("C3", hand.table, hand.hand_id, f"{client} is dealt two different hands")

    # --- snapshots --------------------------------------------------------------------------------------------

    def _snapshot(self, client: str, snapshot: m.Snapshot) -> None:
        table = snapshot.table
        highest = self._highest.get((client, table), 0)
        if snapshot.seq < highest:
            self.blame("C6", table, "", f"{client} gets snapshot {snapshot.seq} after event {highest}")
            self._forget_numbers(table)  # one line says it: what follows collides as well
        view = snapshot.hand
        followed = self.follows.pop((client, table), None)
        if view is None:
            self.latest[table] = ""
            if followed is not None:
                stacks = {seat.name: seat.stack for seat in snapshot.seats}
                self.hands[followed].left[client] = (self._wall(), stacks)
            return
        hand = self._hand(table, view.hand_id)
        self.latest[table] = self.follows[client, table] = hand.hand_id
        self._no_end_before(client, hand, "goes on")
        hand.public.update(view.board)
        in_hand = [seat for seat in snapshot.seats if hand.start is not None and seat.seat in hand.start]
        if hand.start is not None:
            before = sum(stack for _, stack in hand.start.values())
            middle = sum(seat.bet for seat in snapshot.seats) + sum(pot.amount for pot in view.pots)
            now = sum(seat.stack for seat in in_hand) + middle
            if len(in_hand) == len(hand.start) and now != before:
                self.blame("C1", table, hand.hand_id, f"began with {before} chips, a snapshot shows {now}")
        self._shown_cards(client, snapshot, hand, decided=view.turn is None)
        if view.turn is not None and view.turn.seq > self._last_turn.get(table, 0):
            self._prompted(table, view.turn.seq)

    def _shown_cards(self, client: str, snapshot: m.Snapshot, hand: Hand, *, decided: bool) -> None:
        for seat in snapshot.seats:
            if seat.cards is None:
                continue
            if seat.seat == snapshot.your_seat:
                self._own(client, hand, tuple(seat.cards))
            elif decided:
                hand.public.update(seat.cards)
            else:
                line = f"{client} is shown seat {seat.seat} before the showdown"
                self.blame("C7", hand.table, hand.hand_id, line)

    # --- cards ------------------------------------------------------------------------------------------------

    def _cards(self, client: str, message: m.ServerMessage, cards: tuple[str, ...]) -> None:
        table = str(getattr(message, "table", ""))
        if isinstance(message, m.Snapshot):
            hand_id = "" if message.hand is None else message.hand.hand_id
        else:
            hand_id = str(getattr(message, "hand_id", ""))
        if not hand_id:
            kind = type(message).__name__
            self.blame("C7", table, "", f"{client} is told {len(cards)} cards in {kind} of no hand")
            return
        self._hand(table, hand_id).seen.setdefault(client, set()).update(cards)
