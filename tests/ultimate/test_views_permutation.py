"""No client of a table is told anything that depends on a card that it may not see.

The same round is played with the same visible cards and other hidden ones: what a viewer is told, byte for byte, must
be the same until a hidden card becomes visible. So no event, snapshot, answer or number allows a guess.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from unittest import mock

import pytest
from msgspec import structs

from pokerroom.rules.cards import DECK, Card, card_text
from pokerroom.table.viewer import public
from pokerroom.ultimate import views
from pokerroom_protocol import Encoding, encode
from pokerroom_protocol import messages as wire
from tests.poker.support import Client
from tests.ultimate.support import BOXES, COMMON, House, dealt_from

STREETS = ("preflop", "flop", "river")
SEEDS = range(12)


@dataclass
class Scene:
    """A round that is played to a street; `got` are the bytes that each viewer was told, by name."""

    got: dict[str, list[bytes]] = field(default_factory=dict)
    reprs: list[str] = field(default_factory=list)


def play(terms, deck: tuple[Card, ...], until: str) -> Scene:
    """Anna with an extra box (or without, at a common hand), bert, and an observer; all that can be asked is asked."""
    house = House(terms)
    scene = Scene()
    watcher, anna, bert = house.client("watcher"), house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 50)
    if terms is BOXES:
        house.bet(anna, box=5)
        house.answer(anna, wire.ChoosePlay, box=5, multiple=3)
    house.bet(bert)
    with dealt_from(deck):
        house.close_betting()
    viewers = (watcher, anna, bert)
    for street in STREETS:
        look(house, viewers, scene)
        house.answer(anna, wire.GiveTip, amount=10)
        if street == until:
            break
        house.decide(anna, "check")
        if street == "flop":  # the clock for bert, and a restart in between
            house.restart()
            house.clock.advance(15)
        else:
            house.decide(bert, "check")
    look(house, viewers, scene)
    scene.reprs.append(repr(house.table.game.state.play))
    for client in viewers:
        scene.got[client.name] = [encode(message, Encoding.MSGPACK) for message in client.got]
        assert not client.all(wire.RoundEnded)
    house.journal.kept.clear()  # the round is void: its books are right
    house.restart()
    house.stop()
    return scene


def look(house: House, viewers: tuple[Client, ...], scene: Scene) -> None:
    """A snapshot for all, a refusal, and what a log could show."""
    for client in viewers:
        house.ask(client, wire.GetSnapshot)
        house.ask(client, wire.Decide, round_id="none", seq=1, box=1, decision="check")
    scene.reprs += [repr(house.table.game.state.play), repr(house.table.game.state.play.state)]


def visible(terms, viewer: str, until: str) -> set[int]:
    """The positions in the deck of the cards that the viewer may see: its own, and the board so far."""
    hands = 3 if terms is BOXES else 1
    seats = hands + 1
    top = 2 * seats
    seen: set[int] = set()
    own = {"anna": 0, "bert": 1}.get(viewer)
    if terms is COMMON:
        seen |= {0, seats}
    elif own is not None:
        seen |= {own, seats + own}
    if until in {"flop", "river"}:
        seen |= {top + 1, top + 2, top + 3}
    if until == "river":
        seen |= {top + 5, top + 6}
    return seen


def with_other_hidden_cards(deck: tuple[Card, ...], seen: set[int], seed: int) -> tuple[Card, ...]:
    """The same deck, but for the cards that are not seen: those in another order."""
    hidden = [place for place in range(len(deck)) if place not in seen]
    others = [deck[place] for place in hidden]
    random.Random(seed).shuffle(others)
    cards = list(deck)
    for place, card in zip(hidden, others, strict=True):
        cards[place] = card
    return tuple(cards)


def a_deck(seed: int) -> tuple[Card, ...]:
    deck = list(DECK)
    random.Random(f"deck {seed}").shuffle(deck)
    return tuple(deck)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("until", STREETS)
@pytest.mark.parametrize("terms", [BOXES, COMMON], ids=["boxes", "common"])
def test_no_client_is_told_what_depends_on_a_hidden_card(terms, until, seed):
    """For a player with an extra box, another player, and a spectator."""
    deck = a_deck(seed)
    said = play(terms, deck, until)
    for viewer in ("anna", "bert", "watcher"):
        other = with_other_hidden_cards(deck, visible(terms, viewer, until), seed)
        assert other != deck
        assert play(terms, other, until).got[viewer] == said.got[viewer]
    hidden = with_other_hidden_cards(deck, visible(terms, "watcher", until), seed)
    assert play(terms, hidden, until).reprs == said.reprs


@pytest.mark.parametrize("terms", [BOXES, COMMON], ids=["boxes", "common"])
def test_the_test_sees_a_card_that_is_told_too_early(terms):
    """With the dealer's cards shown to all viewers it fails: it can tell."""
    real = views.hands_dealt

    def leaking(play, seq):
        told = real(play, seq)
        bank = wire.BoxCards(box=9, cards=[card_text(card) for card in play.state.setup.deal.bank])
        dealt = told.public.message
        return public(structs.replace(dealt, hands=[*dealt.hands, bank]))

    deck = a_deck(1)
    other = with_other_hidden_cards(deck, visible(terms, "bert", "flop"), 1)
    with mock.patch.object(views, "hands_dealt", leaking):
        assert play(terms, deck, "flop").got["bert"] != play(terms, other, "flop").got["bert"]


def test_the_bank_is_shown_at_the_end_and_not_before(house):
    """Round for round, and all hands with it; then nothing is left to hide."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna)
    house.bet(anna, box=6)
    house.answer(anna, wire.ChoosePlay, box=6, multiple=3)
    deck = a_deck(7)
    house.bet(bert)
    with dealt_from(deck):
        house.close_betting()
    ended = house.play_out(anna, bert)
    assert [box.box for box in ended.boxes] == [1, 2, 6]
    assert all(len(box.cards) == 2 for box in ended.boxes)
    assert ended.bank.cards == [card_text(deck[3]), card_text(deck[7])]
    assert [hand.box for hand in anna.last(wire.HandsDealt).hands] == [1]
    assert [hand.box for hand in bert.last(wire.HandsDealt).hands] == [2]


def test_refused_bets_are_named_to_their_player_alone(house):
    """All other viewers get the same event without any."""
    anna, bert, watcher = house.player("anna"), house.player("bert"), house.client("watcher")
    house.bet(anna, amount=50)
    house.deal(bert)
    assert len(anna.last(wire.BetsRefused).refused) == 1
    assert bert.last(wire.BetsRefused).refused == watcher.last(wire.BetsRefused).refused == []
