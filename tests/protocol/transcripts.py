"""The transcripts of `protocol/transcripts`: what one client sends and gets, in stories played by the real room.

    python -m tests.protocol.transcripts            writes the files
    python -m tests.protocol.transcripts --check    writes nothing; exits 1 when a file is not current

A line is a message with its sender (`client` or `room`), or says what has happened to the connection (`note`). A
further story is a function here that is named for its file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from tests.protocol.scripted import TOKEN, Entry, deck, house, round_deck

DIRECTORY: Final = Path(__file__).parents[2] / "protocol" / "transcripts"

PAUSE_S: Final = 2.5  # longer than that between two hands

TABLE: Final = "nl-6max-1"
CONFIG: Final = f"""
[room]
name = "example"
[[tables]]
id = "{TABLE}"
name = "No-limit 1/2, six seats"
seats = 6
small_blind = 100
min_buy_in = 4_000
max_buy_in = 20_000
"""

SIT_AND_GO: Final = f"""{CONFIG}
[[sit_and_go]]
id = "three"
name = "Three players 5.00"
seats = 3
buy_in = 500
fee = 50
prizes = [900, 450]
starting_stack = 500
level_hands = 1
levels = [{{ small_blind = 10 }}, {{ small_blind = 20 }}]
"""

SATELLITE: Final = f"""{CONFIG}
[[tournament]]
id = "sunday"
name = "Sunday 5.00"
start = 2026-01-01T12:00:00Z
buy_in = 500
fee = 50
starting_stack = 500
level_hands = 5
levels = [{{ small_blind = 10 }}]
[[tournament]]
id = "step"
name = "Step to Sunday"
start = 2026-01-01T00:01:00Z
buy_in = 300
fee = 20
starting_stack = 500
level_hands = 5
levels = [{{ small_blind = 10 }}]
satellite_to = "sunday"
ticket_days = 30
"""

HOUSE_TABLE: Final = "uth-1"
ULTIMATE: Final = f"""
[room]
name = "example"
[[ultimate]]
id = "{HOUSE_TABLE}"
name = "Ultimate, six boxes"
ante_min = 100
trips_max = 5_000
"""
BETTING_S: Final = 20
RESULT_PAUSE_S: Final = 5


def one_hand() -> list[Entry]:
    """Two play: a raise that is too small, a hand to the showdown, and goodbye."""
    with house(CONFIG) as room:
        bob = room.client("bob")
        bob.ask("sit_down", table=TABLE, buy_in=8_000, seat=4)
        room.lay_ready(deck(["AsTd", "JcJs"], "2c7hTs4sAh"))
        alice = room.client("alice")
        alice.ask("list_tables")
        alice.ask("sit_down", table=TABLE, buy_in=20_000, seat=1)
        bob.act("call")
        assert alice.act("raise", amount=300)["code"] == "raise_too_small"
        alice.act("raise", amount=600)
        bob.act("call")
        alice.act("bet", amount=800)
        bob.act("call")
        alice.act("check")
        bob.act("check")
        alice.act("check")
        bob.act("bet", amount=1_000)
        alice.act("raise", amount=3_000)
        bob.act("call")
        assert alice.last("mucked")["seat"] == 4
        assert alice.last("pot_awarded")["shares"] == [{"seat": 1, "amount": 8_800}]
        alice.ask("stand_up", table=TABLE)
        alice.ask("log_out")
        return alice.entries


def side_pot() -> list[Entry]:
    """Three play: one is all-in for less and wins the main pot, another wins the side pot, the rest goes back."""
    with house(CONFIG) as room:
        bob, carol = room.client("bob"), room.client("carol")
        alice = room.client("alice")
        room.lay_ready(deck(["8c8d", "3h4h"], "2s9dKcTc5s"))
        bob.ask("sit_down", table=TABLE, buy_in=12_000, seat=2)
        carol.ask("sit_down", table=TABLE, buy_in=4_000, seat=5)
        alice.ask("sit_down", table=TABLE, buy_in=20_000, seat=3, post=True)
        bob.act("fold")
        room.lay_ready(deck(["QhQd", "KsJh", "AcAd"], "2c7hQs4sKd"))  # carol, bob, alice
        room.pass_s(PAUSE_S)
        alice.act("raise", amount=600)
        carol.act("raise", amount=4_100)
        bob.act("call")
        alice.act("call")
        bob.act("bet", amount=3_000)
        alice.act("raise", amount=15_900)
        bob.act("call")
        won = [message for message in alice.heard() if message["type"] == "pot_awarded"][-2:]
        assert [(pot["pot"], pot["amount"], pot["shares"][0]["seat"]) for pot in won] == [
            (1, 15_600, 3),
            (0, 12_300, 5),
        ]
        return alice.entries


def reconnect() -> list[Entry]:
    """The connection breaks in the middle of a hand, at one's own turn; a new one goes on with it."""
    with house(CONFIG) as room:
        bob = room.client("bob")
        bob.ask("sit_down", table=TABLE, buy_in=20_000, seat=4)
        room.lay_ready(deck(["AsTd", "JcJs"], "2c7hTs4sAh"))
        alice = room.client("alice")
        alice.ask("sit_down", table=TABLE, buy_in=20_000, seat=1)
        bob.act("raise", amount=600)
        room.pass_s(9)
        alice.connect()
        room.pass_s(8)
        alice.ask("hello", version=1, client="example 1.0")
        alice.ask("resume", token=TOKEN)
        alice.ask("observe", table=TABLE)
        hand = alice.last("snapshot")["hand"]
        turn = hand["turn"]["seq"]
        alice.ask("act", table=TABLE, hand_id=hand["hand_id"], seq=turn, action="call")
        alice.act("bet", amount=800)
        bob.act("fold")
        return alice.entries


def sit_and_go() -> list[Entry]:
    """Three enter, one is out in the first level, one in the second; two prizes."""
    with house(SIT_AND_GO) as room:
        bob, carol = room.client("bob"), room.client("carol")
        bob.ask("register_sng", offer="three")
        alice = room.client("alice")
        alice.ask("list_sit_and_gos")
        assert alice.ask("register_sng", offer="three")["type"] == "sng_registered"
        assert alice.ask("register_sng", offer="three")["code"] == "already_registered"
        room.lay_ready(deck(["8s3h", "KhQd", "AcAd"], "2c7hTs4sJd"))  # bob, carol, alice
        carol.ask("register_sng", offer="three")
        players = (alice, bob, carol)
        for player in players:
            player.ask("observe", table=player.last("sng_started")["table"])
        alice.act("raise", amount=40)
        bob.act("fold")
        carol.act("raise", amount=500)
        alice.act("call")
        assert (alice.last("player_placed")["name"], alice.last("level_started")["level"]["level"]) == (
            "carol",
            2,
        )
        room.lay_ready(deck(["KdKs", "9c9d"], "2c7hTs4sJd"))  # alice, bob
        room.pass_s(PAUSE_S)
        bob.act("raise", amount=490)
        alice.act("call")
        assert alice.last("sng_prize_paid")["prize"] == 900
        alice.ask("get_standings", tournament="three.1")
        assert alice.ask("get_account")["balance"] == 1_000_000 - 500 + 900
        return alice.entries


def satellite() -> list[Entry]:
    """Two enter; the winner's prize is a ticket, which pays an entry to the target, and comes back with it."""
    with house(SATELLITE) as room:
        room.pass_s(3)
        bob, alice = room.client("bob"), room.client("alice")
        alice.ask("list_tournaments")
        for player in (bob, alice):
            assert player.ask("register_tournament", tournament="step.1")["type"] == "tournament_registered"
        alice.ask("get_tournament", tournament="step.1")
        room.lay_ready(deck(["9c9d", "KdKs"], "2c7hTs4sJd"))  # bob, alice
        room.pass_s(60)
        for player in (alice, bob):
            player.ask("observe", table=player.last("sng_started")["table"])
        alice.act("raise", amount=500)
        bob.act("call")
        room.pass_s(PAUSE_S)
        assert (alice.last("sng_prize_paid")["prize"], alice.last("sng_prize_paid")["ticket"]) == (500, 500)
        assert bob.last("sng_prize_paid")["ticket"] == 0
        [ticket] = alice.ask("get_tickets")["tickets"]
        assert alice.ask("register_tournament", tournament="sunday.1")["by_ticket"]
        assert alice.ask("get_tickets")["tickets"] == []
        alice.ask("unregister_tournament", tournament="sunday.1")
        assert alice.ask("get_tickets")["tickets"] == [ticket]
        assert alice.ask("get_account")["balance"] == 1_000_000 - 300
        return alice.entries


def one_round() -> list[Entry]:
    """Bets that are doubled, undone and repeated; one round is won without the bank's qualifying, one is folded."""
    with house(ULTIMATE) as room:
        bob = room.client("bob")
        bob.ask("take_place", table=HOUSE_TABLE, box=4)
        alice = room.client("alice")

        def change(action: str) -> Entry:
            return alice.ask("change_bets", table=HOUSE_TABLE, action=action)

        def bet(name: str, amount: int) -> Entry:
            return alice.ask("place_bet", table=HOUSE_TABLE, bet=name, amount=amount)

        alice.ask("list_tables")
        alice.ask("take_place", table=HOUSE_TABLE, box=2)
        bob.ask("place_bet", table=HOUSE_TABLE, bet="ante", amount=50)
        bet("ante", 200)
        bet("trips", 100)
        assert bet("ante", 20_000)["code"] == "above_maximum"
        change("double")
        assert change("undo")["slip"]["total"] == 500
        change("double")
        room.lay_ready(round_deck(["AsTd", "3h4h"], "QsTh2c7h5s"))
        room.pass_s(BETTING_S)
        alice.decide("check")
        alice.decide("play", multiple=2)
        assert not alice.last("round_ended")["bank"]["qualifies"]
        room.pass_s(RESULT_PAUSE_S)
        assert change("repeat")["slip"]["balance"] == 1_000_600
        room.lay_ready(round_deck(["7c2d", "AhKd"], "AsTh9c4d5s"))
        room.pass_s(BETTING_S)
        alice.decide("check")
        alice.decide("check")
        alice.decide("fold")
        alice.ask("stand_up", table=HOUSE_TABLE)
        assert alice.ask("get_account")["balance"] == 999_600
        return alice.entries


STORIES: Final[dict[str, Callable[[], list[Entry]]]] = {
    story.__name__: story for story in (one_hand, side_pot, reconnect, sit_and_go, satellite, one_round)
}


def transcript(name: str) -> str:
    """A story as the lines of its file."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in STORIES[name]())


def main(arguments: list[str]) -> int:
    """The command; returns its exit code."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m tests.protocol.transcripts [--check]\n")
        return 2
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("error"))
    stale = []
    for name in STORIES:
        path, text = DIRECTORY / f"{name}.jsonl", transcript(name)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append((path, text))
    for path, text in stale:
        sys.stdout.write(f"{path.name} is not current\n" if arguments else f"wrote {path}\n")
        if not arguments:
            path.write_text(text, encoding="utf-8")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
