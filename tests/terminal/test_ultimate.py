"""Ultimate Texas Hold'em in the terminal: rounds at a real room, key by key, and the texts about them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pokerroom.terminal.texts import LANGUAGES, speak
from pokerroom.terminal.ultimate_words import net, pay_tables, result, round_line, slip_text
from pokerroom_protocol import Code, ReturningClient
from pokerroom_protocol import messages as m
from tests.terminal.support import PASSWORD, Player, line, new_name, on_a_loop, player

on_services = [pytest.mark.services, pytest.mark.timeout(300)]


def services(test):
    for mark in on_services:
        test = mark(test)
    return test


async def takes_a_place(me: Player) -> None:
    await me.sees("You are watching. S: take a place")
    await me.press("s")
    await me.until(lambda: me.house.is_seated, "the place")
    await me.sees("A: bet an Ante")


async def bets(me: Player, key: str, amount: str) -> None:
    await me.press(key)
    await me.sees("How much")
    await me.press(*["backspace"] * 6, *amount, "enter")


async def is_asked(me: Player) -> m.DecisionsView:
    await me.until(lambda: me.house.view.is_asked, "the own decision")
    current = me.house.table.round
    assert current is not None
    assert current.decisions is not None
    return current.decisions


@services
def test_a_round_is_played_from_the_lobby_to_the_result(room, tmp_path):
    """The lobby lists the table; place, Ante, Trips and progressive are taken; Play of 4 Antes, then the result."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name()) as me:
            await me.sees("The long table")
            await me.press("left")
            await me.sees("Against the house 1")
            await me.sees("6 boxes")
            me.picture("lobby-ultimate")
            await me.press("enter")
            await takes_a_place(me)
            assert "n deal now" not in me.screen_text()
            await bets(me, "a", "2")
            await me.sees("Ante 2   in all 4")
            await bets(me, "i", "1")
            await me.press("p")
            await me.sees("Ante 2  Trips 1  Progressive 1   in all 6   wallet 10,000")
            me.picture("ultimate-bets")
            await me.press("y")
            await me.sees("royal flush")
            await me.sees("500:1")
            me.picture("ultimate-pay-tables")
            await me.press("escape")
            await me.press("n")
            await is_asked(me)
            await me.sees("4 Play 4x (8)   3 Play 3x (6)   C check")
            assert "f fold" not in me.screen_text()
            me.picture("ultimate-decision")
            await me.press("4")
            await me.until(lambda: me.house.ended is not None, "the result")
            await me.sees("plays 8")
            await me.sees("turn and river: ")
            await me.sees("bank ")
            ended = me.house.ended
            [own] = ended.boxes
            assert [bet.bet for bet in own.bets] == ["ante", "blind", "play", "trips", "progressive"]
            await me.sees(result(own))
            me.picture("ultimate-result")
            await me.sees("e repeat")
            await me.press("e")
            await me.sees("Ante 2  Trips 1  Progressive 1   in all 6")
            assert me.house.slip.balance == 1_000_000 + net(own)
            await me.press("u")
            await me.until(lambda: not me.house.slip.bets, "the empty slip")
            await me.press("x")
            await me.sees("You give up your place")
            await me.sees("You are watching. S: take a place")

    on_a_loop(scenario)


@services
def test_checks_and_a_fold(room, tmp_path):
    """Each street has its keys: a check twice, and on the river a fold, which loses Ante and Blind."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), table="house-2", size=(80, 24)) as me:
            await takes_a_place(me)
            await bets(me, "a", "1")
            await me.sees("Ante 1 ")
            await me.press("d")
            await me.sees("Ante 2 ")
            await me.press("n")
            for street, said in (("preflop", "3 Play 3x"), ("flop", "2 Play 2x (4)   C check")):
                await me.until(lambda street=street: me.house.table.round.street == street, street)
                await is_asked(me)
                await me.sees(said)
                await me.press("c")
            await me.until(lambda: me.house.table.round.street == "river", "the river")
            await is_asked(me)
            await me.sees("1 Play 1x (2)   F fold")
            await me.press("c")  # no check on the river: nothing happens
            await me.press("f")
            await me.sees("You lose 4.")
            me.picture("ultimate-folded-narrow")

    on_a_loop(scenario)


@pytest.mark.slow  # `test_play` loses a line, too
@services
def test_the_round_goes_on_after_a_lost_line(room, tmp_path):
    """With the connection come back the cards and the pending decision; a restart of the client returns to them."""

    async def scenario():
        name = new_name()
        async with (
            line(room.game_port) as wire,
            player(wire.port, tmp_path, name=name, table="house-3") as me,
        ):
            await takes_a_place(me)
            await bets(me, "a", "1")
            await me.sees("Ante 1 ")
            await me.press("n")
            await is_asked(me)
            cards = me.house.table.round.hands
            wire.down = True
            wire.cut()
            await me.sees("The connection is lost")
            wire.down = False
            await me.until(lambda: not me.app.line, "the line")
            await is_asked(me)
            assert me.house.table.round.hands == cards
        async with player(room.game_port, tmp_path) as again:
            await again.sees("Your turn")
            assert again.house.table.round.hands == cards
            await again.press("4")
            await again.until(lambda: again.house.ended is not None, "the result")

    on_a_loop(scenario)


@services
def test_two_play_one_hand_and_talk(room, tmp_path):
    """At a table with a common hand the other's bets, decisions and words are seen; the round waits for both."""

    async def scenario():
        async with (
            await ReturningClient.connect("127.0.0.1", room.game_port, pause=False) as other,
            player(room.game_port, tmp_path, name=new_name(), table="one") as me,
        ):
            await me.sees("You are watching. S: take a place")
            assert "a Ante" not in me.screen_text()
            name = new_name()
            await other.request(m.Register(id=0, name=name, password=PASSWORD), m.Authenticated)
            theirs = await other.request(m.TakePlace(id=0, table="one"), m.UltimateSnapshot)
            await me.sees(f"{name} takes a place")
            await takes_a_place(me)
            await bets(me, "a", "1")
            await me.sees("Ante 1 ")
            await other.request(m.PlaceBet(id=0, table="one", bet="ante", amount=200), m.Slip)
            await other.request(m.DealNow(id=0, table="one"), m.Ok)
            await me.press("n")
            decisions = await is_asked(me)
            view = me.house.view
            assert view.hand(theirs.your_box) == view.hand(view.table.your_box) != []
            await other.request(m.Chat(id=0, table="one", text="good luck"), m.Ok)
            await me.sees(f"{name}: good luck")
            await me.press("t", *"thanks", "enter")
            await me.sees(": thanks")
            await me.press("4")
            await me.sees("Others decide")
            decide = m.Decide(
                id=0,
                table="one",
                round_id=view.table.round.round_id,
                seq=decisions.seq,
                box=theirs.your_box,
                decision="play",
                multiple=4,
            )
            await other.request(decide, m.Ok)
            await me.until(lambda: me.house.ended is not None, "the result")
            await me.sees(f"{name} plays 8")
            await me.sees(": does not qualify" if not me.house.ended.bank.qualifies else ": qualifies")
            me.picture("ultimate-common-hand")

    on_a_loop(scenario)


INFO = m.UltimateInfo(
    table="t",
    name="T",
    seating="boxes",
    qualification="any_pair",
    boxes=6,
    ante_min=100,
    ante_max=10_000,
    trips_min=100,
    trips_max=10_000,
    blind_pays=[m.PayRow(hand="royal_flush", pays=500, to=1), m.PayRow(hand="flush", pays=3, to=2)],
    trips_pays=[m.PayRow(hand="three_of_a_kind", pays=3, to=1)],
    progressive=m.ProgressiveInfo(
        stake=100,
        prizes=[m.Prize(hand="royal_flush", meter_bps=10_000), m.Prize(hand="full_house", amount=5_000)],
        envy_prize=100_000,
    ),
    chips=[100],
    betting_ms=20_000,
    decision_ms=15_000,
    presence=False,
    occupied=0,
    players=0,
)


def test_the_pay_tables_are_told_by_hand():
    """Each hand that pays has a line, with its pay in the column of each bet; then come the conditions."""
    told = pay_tables(INFO).splitlines()

    assert [line.split() for line in told[:1]] == [["Blind", "Trips", "Progressive"]]
    assert {
        "royal flush 500:1 100 % of the meter",
        "a flush 3:2",
        "a full house 50",
        "three of a kind 3:1",
    } == {" ".join(line.split()) for line in told[1:5]}
    assert "The bank qualifies with any pair." in told
    plain = pay_tables(replace(INFO, progressive=None, qualification="pair_of_fours"))
    assert "Progressive" not in plain
    assert "pair of fours" in plain


@pytest.mark.parametrize(
    ("paid", "said"), [(600, "You win 2."), (400, "Your bets are returned."), (0, "You lose 4.")]
)
def test_the_result_is_the_sum_of_all_bets(paid, said):
    """What is returned, apart from what was staked."""
    bets = [m.BetResult(bet="ante", staked=200, paid=paid), m.BetResult(bet="blind", staked=200, paid=0)]
    box = m.BoxResult(box=2, name="ada", outcome="won", bets=bets)

    assert result(box) == said
    assert result(replace(box, outcome="void")) == "The round is void. All bets are returned."


ENDED = m.RoundEnded(
    table="t",
    seq=9,
    round_id="r",
    boxes=[
        m.BoxResult(
            box=2,
            name="ada",
            outcome="lost",
            bets=[
                m.BetResult(bet="ante", staked=200, paid=0),
                m.BetResult(bet="trips", staked=100, paid=400),
            ],
            cards=["As", "Td"],
            hand="pair",
        )
    ],
    bank=m.BankResult(cards=["3h", "4h"], hand="high_card", qualifies=False),
)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (m.Decided(table="t", seq=1, round_id="r", box=2, decision="play", amount=800), "ada plays 8"),
        (
            m.Decided(table="t", seq=1, round_id="r", box=2, decision="fold", automatic=True),
            "ada folds (time)",
        ),
        (m.Decided(table="t", seq=1, round_id="r", box=5, decision="check"), "box 5 checks"),
        (
            m.BetsRefused(
                table="t", seq=1, refused=[m.RefusedBet(box=2, bet="trips", amount=50, code="below_minimum")]
            ),
            f"Trips 0.50 refused: {Code.BELOW_MINIMUM.sentence}",
        ),
        (m.BetsRefused(table="t", seq=1), None),
        (m.ChatSaid(table="t", seq=1, name="ada", text="hi"), "ada: hi"),
        (m.PlaceChanged(table="t", seq=1, box=2, connected=False), None),
        (
            ENDED,
            "bank 3♥ 4♥, high card: does not qualify\nada: A♠ 10♦, a pair, lost: +1 (Ante -2, Trips +3)",
        ),
        (replace(ENDED, void=True, bank=None), "The round is void. All bets are returned."),
    ],
)
def test_the_log_of_a_round(event, said):
    """Each event that a player should read has its line."""
    assert round_line(event, {2: "ada"}) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_speaks_the_language(language):
    """Log, pay tables and bets have a text in each language, and amounts in its form."""
    speak(language)
    slip = m.SlipView(bets=[m.SlipBet(box=2, ante=250)], total=500, balance=123_456)
    comma = language != "en"

    assert ("2,50" if comma else "2.50") in slip_text(slip, 2)
    assert slip_text(None, 2) == slip_text(None, 3)
    assert (round_line(ENDED, {}) == round_line(ENDED, {2: "ada"})) is True
    assert ("does not qualify" in (round_line(ENDED, {}) or "")) is (language == "en")
    assert ("any pair" in pay_tables(INFO)) is (language == "en")
