"""Hands of text files as PokerStars writes them.

The text has the uncalled bet and the pots. Stacks at the end are those at the start of the next hand. A line about a
player that says nothing of the rules (chat, connections) is left out.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from tests.referee.model import Hand, Seat, Step, Terms

HEADER = re.compile(
    r"PokerStars Hand #(?P<id>\d+): +(?:Tournament #(?P<tournament>\d+), [^ ]+(?: [A-Z]{3})? )?"
    r"(?P<game>Hold'em|Omaha) (?P<limit>No Limit|Pot Limit|Limit) (?:- Level \w+ )?"
    r"\([$€£]?(?P<small>[\d.]+)/[$€£]?(?P<big>[\d.]+)(?: [A-Z]{3})?\).*"
)
TABLE = re.compile(r"Table '(?P<table>.*)' \d+-max (?:\(Play Money\) )?Seat #(?P<button>\d+) is the button")
SEAT = re.compile(r"Seat (?P<seat>\d+): (?P<name>\S+) \([$€£]?(?P<stack>[\d.]+) in chips\).*")
POST = re.compile(
    r"posts (?P<kind>the ante|small blind|big blind|straddle|small & big blinds) [$€£]?(?P<amount>[\d.]+)"
)
STREET = re.compile(r"\*\*\* (?P<street>FLOP|TURN|RIVER) \*\*\*.*\[(?P<cards>[^\]]*)\]")
RETURN = re.compile(r"Uncalled bet \([$€£]?(?P<amount>[\d.]+)\) returned to (?P<name>\S+)")
COLLECTED = re.compile(
    r"(?P<name>\S+) collected [$€£]?(?P<amount>[\d.]+) from (?P<pot>(?:main |side )?pot(?:-\d+)?)"
)
TOTAL = re.compile(r"Total pot [$€£]?(?P<total>[\d.]+)(?P<parts>.*) \| Rake [$€£]?(?P<rake>[\d.]+)")
BIG_BLIND = re.compile(r"Seat (?P<seat>\d+): \S+ (?:\(button\) )?\(big blind\) ")
PART = re.compile(r"(?P<pot>Main pot|Side pot(?:-\d+)?) [$€£]?(?P<amount>\d+(?:\.\d+)?)\.")
ALL_IN = " and is all-in"
STRUCTURES = {"No Limit": "no_limit", "Pot Limit": "pot_limit", "Limit": "fixed_limit"}


def hands(text: str) -> Iterator[Hand]:
    """The hands of a file. Raises ValueError if one cannot be read."""
    for part in re.split(r"\n\s*\n\s*\n", text.strip().replace("\r\n", "\n")):
        if part.strip():
            yield _Reading(part.strip().splitlines()).hand


class _Reading:
    """One hand, line by line."""

    def __init__(self, lines: list[str]) -> None:
        header, table = HEADER.fullmatch(lines[0].lstrip("\ufeff")), TABLE.match(lines[1])
        if header is None or table is None:
            raise ValueError(f"no hand begins with {lines[0]!r}")
        self._scale = 1 if header["tournament"] else 100
        omaha, limit = header["game"] == "Omaha", STRUCTURES[header["limit"]]
        fixed = limit == "fixed_limit"
        small, big = self._units(header["small"]), self._units(header["big"])
        if fixed:
            self._small, self._big, bets = None, small, (small, big)
        else:
            self._small, self._big, bets = small, big, (0, 0)
        self.hand = Hand(
            hand_id=header["id"],
            table=header["tournament"] or table["table"],
            later_table=bool(header["tournament"]) and not table["table"].endswith(" 1"),
            terms=Terms(
                game="omaha" if omaha else "holdem",
                structure=limit,
                hole_cards=4 if omaha else 2,
                small_blind=self._small,
                big_blind=self._big,
                small_bet=bets[0],
                big_bet=bets[1],
                ante=None,
                big_blind_ante=None,
                straddle=None,
                rake_known=False,
                tournament=bool(header["tournament"]),
            ),
            button=int(table["button"]),
            small_blind=None,
            big_blind=None,
            seats=[],
            tells_blinds=False,
            shows_in_time=False,
        )
        self._seats: dict[str, int] = {}
        self._awarded: dict[str, list[tuple[int, int]]] = {}
        self._summary = False
        for line in lines[2:]:
            self._line(line)
        self._in_order_of_the_deal()

    def _units(self, text: str) -> int:
        whole = Decimal(text) * self._scale
        if whole != int(whole):
            raise ValueError(f"{text} is no amount of whole units")
        return int(whole)

    def _add(self, **fields: object) -> None:
        self.hand.steps.append(Step(**fields))  # type: ignore[arg-type]

    def _line(self, line: str) -> None:  # noqa: C901 -- one branch for each kind of line
        if line.startswith("*** SUMMARY"):
            self._summary = True
        elif self._summary:
            if (total := TOTAL.fullmatch(line)) is not None:
                self._pots(total)
            elif (marked := BIG_BLIND.match(line)) is not None and int(marked["seat"]) != self.hand.big_blind:
                self.hand.big_blind = int(marked["seat"])  # without a chip for it; who posted one came back
                self.hand.steps = [
                    replace(step, kind="live_post") if step.kind == "big_blind" else step
                    for step in self.hand.steps
                ]
        elif (seat := SEAT.fullmatch(line)) is not None:
            self._seats[seat["name"]] = int(seat["seat"])
            self.hand.seats.append(
                Seat(number=int(seat["seat"]), name=seat["name"], stack=self._units(seat["stack"]))
            )
        elif (street := STREET.match(line)) is not None:
            self._add(what="street", kind=street["street"].lower(), cards=tuple(street["cards"].split()))
        elif (returned := RETURN.fullmatch(line)) is not None:
            self._add(
                what="uncalled", seat=self._seats[returned["name"]], amount=self._units(returned["amount"])
            )
        elif (collected := COLLECTED.fullmatch(line)) is not None:
            won = self._seats[collected["name"]], self._units(collected["amount"])
            self._awarded.setdefault(collected["pot"], []).append(won)
        elif line.endswith(" has timed out"):
            self._add(
                what="act",
                seat=self._seats[line.removesuffix(" has timed out")],
                kind="clock_all_in",
                amount=0,
            )
        elif (name := line.split(": ", 1)[0]) in self._seats and ": " in line:
            self._done(self._seats[name], line.split(": ", 1)[1])

    def _done(self, seat: int, text: str) -> None:
        all_in = text.endswith(ALL_IN)
        text = text.removesuffix(ALL_IN)
        word, *rest = text.replace("$", "").replace("€", "").replace("£", "").split()
        if (post := POST.fullmatch(text)) is not None:
            self._posts(seat, post["kind"], self._units(post["amount"]), all_in=all_in)
            return
        match word:
            case "folds" | "checks":
                self._add(what="act", seat=seat, kind=word[:-1], amount=0)
            case "calls" | "bets":
                self._add(what="act", seat=seat, kind=word[:-1], amount=self._units(rest[0]), all_in=all_in)
            case "raises":
                self._add(what="act", seat=seat, kind="raise", bet=self._units(rest[2]), all_in=all_in)
            case "shows":
                self._add(
                    what="show", seat=seat, cards=tuple(text[text.index("[") + 1 : text.index("]")].split())
                )
            case "mucks":
                self._add(what="muck", seat=seat)

    def _posts(self, seat: int, kind: str, amount: int, *, all_in: bool) -> None:
        posted = {step.kind for step in self.hand.steps}
        twice = any(step.seat == seat and step.kind == "ante" for step in self.hand.steps)
        blinds = bool(posted & {"small_blind", "big_blind"})
        match kind:
            case "the ante":
                kind = "dead_post" if blinds else "big_blind_ante" if twice else "ante"
                self._add(what="post", seat=seat, kind=kind, amount=amount, bet=amount if blinds else None)
            case "small blind" if "small_blind" not in posted:
                self.hand.small_blind = seat
                self._add(what="post", seat=seat, kind="small_blind", amount=amount, all_in=all_in)
            case "small blind":
                self._add(what="post", seat=seat, kind="dead_post", amount=amount)
            case "big blind" if "big_blind" not in posted:
                self.hand.big_blind = seat
                self._add(what="post", seat=seat, kind="big_blind", amount=amount, all_in=all_in)
            case "big blind":
                self._add(what="post", seat=seat, kind="live_post", amount=amount)
            case "straddle":
                self._add(what="post", seat=seat, kind="straddle", amount=amount, bet=2 * self._big)
            case _:
                live = min(amount, self._big)
                self._add(what="post", seat=seat, kind="live_post", amount=live)
                if amount > live:
                    self._add(what="post", seat=seat, kind="dead_post", amount=amount - live)

    def _pots(self, total: re.Match[str]) -> None:
        sizes = {part["pot"].lower(): self._units(part["amount"]) for part in PART.finditer(total["parts"])}
        whole = self._units(total["total"])
        sizes = sizes or ({"pot": whole} if whole else {})  # there is none where every chip was returned
        rake = self._units(total["rake"])
        number: Callable[[str], int] = lambda pot: int(pot[9:] or 1) if pot.startswith("side") else 0  # noqa: E731 -- a key
        for pot in sorted(sizes, key=number, reverse=True):
            shares = tuple(self._awarded.get(pot, ()))
            taken = sizes[pot] - sum(amount for _, amount in shares)
            self._add(what="award", pot=number(pot), amount=sizes[pot], shares=shares, rake=taken)
        told = sum(step.rake or 0 for step in self.hand.steps)
        if told != rake or sum(sizes.values()) != whole:
            raise ValueError(f"the pots do not add up: {total[0]}")

    def _in_order_of_the_deal(self) -> None:
        button = self.hand.button or 0
        self.hand.seats.sort(key=lambda seat: (seat.number - button - 1) % 100)
        antes = [step for step in self.hand.steps if step.kind == "ante"]
        if len(antes) < len(
            self.hand.seats
        ):  # not of all: dead, of the big blind or of a player who came back
            self.hand.steps = [
                replace(step, kind="dead_post", bet=step.amount) if step in antes else step
                for step in self.hand.steps
            ]
