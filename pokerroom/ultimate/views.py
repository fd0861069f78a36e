"""Makes the messages of a table of Ultimate Texas Hold'em: the one place where hidden cards are removed.

Every viewer gets every event under the same number; what differs is the cards, and the refused bets. Players see the
cards of their own box, all viewers see a common hand. The dealer's cards are in no message before the round is over
(`sees_holes`). This module sends nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.ultimate.closing import Refused
from pokerroom.rules.ultimate.events import BoardOpened, BoxDecided, Event, TipTaken
from pokerroom.rules.ultimate.result import SettledBox
from pokerroom.rules.ultimate.slips import BettingSlip
from pokerroom.rules.ultimate.state import MULTIPLES, BoxState, Phase, RoundState, sees_holes
from pokerroom.rules.ultimate.terms import Seating
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, public
from pokerroom.ultimate.places import TakenPlace
from pokerroom.ultimate.play import RoundPlay
from pokerroom_protocol import messages as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipFacts:
    """A slip with its player's balance, and what the player may do with it."""

    slip: BettingSlip
    balance: int
    can_double: bool
    can_repeat: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionQuestion:
    """The decisions that are awaited: `seq` of the event that asked last, and their deadline."""

    seq: int
    deadline_ms: int


# --- events ---------------------------------------------------------------------------------------------------------


def bets_refused(table: str, refused: Sequence[Refused], seq: int) -> Broadcast:
    """Return the event of refused bets: each account gets its own, all other viewers get none."""
    of: dict[int, list[wire.RefusedBet]] = {}
    for one in refused:
        bet = wire.RefusedBet(box=one.box, bet=one.bet.value, amount=one.amount, code=one.why.value)
        of.setdefault(one.player, []).append(bet)
    private = {
        account: Outgoing(wire.BetsRefused(table=table, seq=seq, refused=bets))
        for account, bets in of.items()
    }
    return Broadcast(seq=seq, public=Outgoing(wire.BetsRefused(table=table, seq=seq)), private=private)


def round_started(play: RoundPlay, seq: int) -> Broadcast:
    """Return the event of a round that begins: the bets that stand."""
    boxes = [_bets_view(play, box) for box in play.state.boxes]
    return public(wire.RoundStarted(table=play.table, seq=seq, round_id=play.round_id, boxes=boxes))


def hands_dealt(play: RoundPlay, seq: int) -> Broadcast:
    """Return the event of the deal: players get the cards of their own box, all viewers get a common hand."""

    def dealt(account: int | None) -> Outgoing:
        hands = _hands(play.state, account)
        return Outgoing(wire.HandsDealt(table=play.table, seq=seq, round_id=play.round_id, hands=hands))

    if _is_common(play.state):
        return Broadcast(seq=seq, public=dealt(None))
    private = {account: dealt(account) for account in play.accounts}
    return Broadcast(seq=seq, public=dealt(None), private=private)


def decisions(play: RoundPlay, question: DecisionQuestion) -> Broadcast:
    """Return the event that asks boxes to decide. Their options follow from public facts, so all viewers see them."""
    asked = _asked(play.state)
    return public(
        wire.Decisions(
            table=play.table,
            seq=question.seq,
            round_id=play.round_id,
            boxes=list(play.state.waiting),
            check=asked.check,
            fold=asked.fold,
            multiples=list(asked.multiples),
            deadline_ms=question.deadline_ms,
        )
    )


def step(play: RoundPlay, event: Event, seq: int) -> Broadcast:
    """Return one event of the rules as all viewers may see it."""
    table, round_id = play.table, play.round_id
    match event:
        case BoxDecided():
            return public(
                wire.Decided(
                    table=table,
                    seq=seq,
                    round_id=round_id,
                    box=event.box,
                    decision=event.decision.value,
                    amount=event.amount,
                    automatic=event.automatic,
                )
            )
        case BoardOpened():
            street = _STREETS[event.phase]
            return public(
                wire.BoardDealt(
                    table=table, seq=seq, round_id=round_id, street=street, cards=_texts(event.cards)
                )
            )
        case TipTaken():
            name = play.names.get(event.player, "")
            return public(
                wire.TipGiven(table=table, seq=seq, round_id=round_id, name=name, amount=event.amount)
            )


def round_ended(play: RoundPlay, seq: int) -> Broadcast:
    """Return the result, which the ledger has by now; for a void round the returned bets, and no card."""
    settlement = play.settlement
    bank = settlement.bank
    return public(
        wire.RoundEnded(
            table=play.table,
            seq=seq,
            round_id=play.round_id,
            boxes=[_result(play, result) for result in settlement.boxes],
            bank=None
            if bank is None
            else wire.BankResult(cards=_texts(bank.cards), hand=bank.category.name, qualifies=bank.qualifies),
            meter=None if play.state.setup.terms.progressive is None else settlement.meter.after,
            void=play.state.is_void,
        )
    )


def round_lost(table: str, round_id: str, seq: int) -> Broadcast:
    """Return the end of a void round with lost cards; its bets went back."""
    return public(wire.RoundEnded(table=table, seq=seq, round_id=round_id, boxes=[], void=True))


# --- snapshots ------------------------------------------------------------------------------------------------------


def snapshot(
    *,
    table: str,
    info: wire.UltimateInfo,
    seq: int,
    places: Iterable[TakenPlace],
    light: wire.LightView,
    play: RoundPlay | None,
    question: DecisionQuestion | None,
    meter: int | None,
    account: int | None,
    re: int | None,
    slip: SlipFacts | None,
) -> wire.UltimateSnapshot:
    """Return the table as this account may see it; `play` is the round in progress, unless it is over."""
    shown = list(places)
    own = next((place.box for place in shown if place.account == account), None)
    return wire.UltimateSnapshot(
        table=table,
        seq=seq,
        info=info,
        places=[wire.PlaceView(box=one.box, name=one.name, connected=one.connected) for one in shown],
        light=light,
        round=None if play is None else _round_view(play, question, account),
        your_box=own,
        meter=meter,
        your_slip=None if slip is None else slip_view(slip),
        re=re,
    )


def slip_view(facts: SlipFacts) -> wire.SlipView:
    """Return a player's bets, for this player only."""
    slip = facts.slip
    return wire.SlipView(
        bets=[
            wire.SlipBet(
                box=bets.box, ante=bets.ante, trips=bets.trips, progressive=bets.progressive, play=bets.play
            )
            for bets in slip.bets
        ],
        total=slip.total,
        balance=facts.balance,
        can_double=facts.can_double,
        can_repeat=facts.can_repeat,
        can_undo=bool(slip.history),
    )


def _round_view(play: RoundPlay, question: DecisionQuestion | None, account: int | None) -> wire.RoundView:
    state = play.state
    asked = _asked(state)
    return wire.RoundView(
        round_id=play.round_id,
        street=_STREETS[state.phase],
        boxes=[_bets_view(play, box) for box in state.boxes],
        board=_texts(state.board),
        hands=_hands(state, account),
        decisions=None
        if question is None
        else wire.DecisionsView(
            seq=question.seq,
            boxes=list(state.waiting),
            check=asked.check,
            fold=asked.fold,
            multiples=list(asked.multiples),
            deadline_ms=question.deadline_ms,
        ),
    )


# --- parts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    check: bool
    fold: bool
    multiples: tuple[int, ...]


_STREETS: Mapping[Phase, wire.UltimateStreet] = {
    Phase.preflop: "preflop",
    Phase.flop: "flop",
    Phase.river: "river",
    Phase.finished: "river",
}


def _asked(state: RoundState) -> _Asked:
    river = state.phase is Phase.river
    return _Asked(check=not river, fold=river, multiples=MULTIPLES.get(state.phase, ()))


def _hands(state: RoundState, account: int | None) -> list[wire.BoxCards]:
    """Return the cards that this account may see: the one rule for events and snapshots."""
    if _is_common(state):
        return [wire.BoxCards(box=None, cards=_texts(state.setup.holes(0)))]
    return [
        wire.BoxCards(box=box.bets.box, cards=_texts(state.setup.holes(at)))
        for at, box in enumerate(state.boxes)
        if sees_holes(state, account, box.bets.box)
    ]


def _is_common(state: RoundState) -> bool:
    return state.setup.terms.seating is Seating.common_hand


def _bets_view(play: RoundPlay, box: BoxState) -> wire.BoxBetsView:
    bets = box.bets
    return wire.BoxBetsView(
        box=bets.box,
        name=play.names.get(bets.player, ""),
        ante=bets.ante,
        trips=bets.trips,
        progressive=bets.progressive,
        play=box.play_bet,
        extra=bool(bets.play),
        status=box.status.value,
    )


def _result(play: RoundPlay, result: SettledBox) -> wire.BoxResult:
    return wire.BoxResult(
        box=result.box,
        name=play.names.get(result.player, ""),
        outcome=result.outcome.value,
        bets=[wire.BetResult(bet=bet.bet.value, staked=bet.staked, paid=bet.paid) for bet in result.bets],
        envy=result.envy,
        cards=None if result.cards is None else _texts(result.cards),
        hand=None if result.category is None else result.category.name,
    )


def _texts(cards: Sequence[Card]) -> list[str]:
    return [card_text(card) for card in cards]
