"""One whole hand against the rules: posts, turns, ranges, streets, showing, pots, shares, stacks.

`judge` takes a hand from any source and returns what is wrong, and what it could not check.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tests.referee.betting import BOARD_CARDS, STREETS, Betting
from tests.referee.cards import best, is_card, kind
from tests.referee.model import Difference, Hand, Step, Turn
from tests.referee.pots import UNITS, Pot, layers, rake_of, rake_parts, split


@dataclass(slots=True)
class Verdict:
    """What came of a hand. `units` are the smallest chips that explain its splits."""

    differences: list[Difference] = field(default_factory=list)
    unchecked: Counter[str] = field(default_factory=Counter)
    units: set[int] = field(default_factory=lambda: set(UNITS))
    ends: dict[int, int] | None = None
    """The stacks at the end by what was awarded."""


def judge(hand: Hand) -> Verdict:
    """Return what is wrong with a hand."""
    case = _Case(hand)
    try:
        case.hear()
    except _UncheckedError as reason:
        case.verdict.unchecked[str(reason)] += 1
    except (KeyError, IndexError, ValueError) as error:
        case.wrong("unreadable", f"the hand cannot be followed: {type(error).__name__} {error}")
    return case.verdict


class _UncheckedError(Exception):
    """The source does not say enough of a hand."""


class _Case:
    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.verdict = Verdict()
        self._betting = Betting(hand.terms, hand.seats, hand.big_blind)
        self._board: list[str] = []
        self._seen: set[str] = set()
        self._last_aggressor: int | None = None
        """Of the last street with a decision."""
        self._shown: dict[int, tuple[str, ...]] = {}
        self._mucked: set[int] = set()
        self._turned: list[int] = []
        """The order of showing and mucking."""
        self._last: int | None = None
        """Who acted last on the street."""
        self._awards: list[Step] = []
        self._first_showing: tuple[int | None, bool] | None = None
        """The last aggressor when hands were first turned up, and whether the board was complete."""

    def wrong(self, kind_: str, detail: str) -> None:
        hand = self.hand
        self.verdict.differences.append(
            Difference(kind=kind_, detail=detail, hand=hand.hand_id, table=hand.table)
        )

    # --- from the first post to the last award ----------------------------------------------------------------

    def hear(self) -> None:  # noqa: C901 -- one case for each kind of step
        hand = self.hand
        if not hand.tells_blinds:
            self._blind_without_chips()
        self._positions()
        steps = list(hand.steps)
        posts = [step for step in steps if step.what == "post"]
        for step in posts:
            self._post(step)
        self._owed(posts)
        self._nominal_pot()
        for step in steps:
            match step.what:
                case "post":
                    self._no_later(step)
                case "turn":
                    self._turn(step)
                case "act":
                    self._act(step)
                case "street":
                    self._street(step)
                case "uncalled":
                    self._uncalled(step)
                case "show" | "muck":
                    self._turn_up(step)
                case "award":
                    self._awards.append(step)
        if hand.void:
            self._void()
            return
        self._end_of_betting()
        self._showdown()
        self._pots()
        self._stacks()

    def _no_later(self, step: Step) -> None:
        if self._last is not None or self._board:
            self.wrong("post", f"seat {step.seat} posts a {step.kind} after the betting began")

    def _blind_without_chips(self) -> None:
        """A source that tells blinds by their posts does not tell the blind of a player without a chip."""
        hand, numbers = self.hand, [seat.number for seat in self.hand.seats]
        paid: Counter[int] = Counter()
        for step in hand.steps:
            if step.what == "post":
                paid[step.seat] += step.amount or 0
        broke = {seat.number for seat in hand.seats if paid[seat.number] == seat.stack}
        if (
            len(numbers) > 2
            and hand.small_blind is None
            and hand.big_blind == numbers[1]
            and numbers[0] in broke
        ):
            hand.small_blind = numbers[0]
        elif hand.big_blind is None:
            after = (
                numbers[numbers.index(hand.small_blind) + 1 :] if hand.small_blind in numbers else numbers[:2]
            )
            hand.big_blind = next(
                (seat for seat in [*after, *numbers] if seat in broke and seat != hand.small_blind), None
            )
        self._betting = Betting(hand.terms, hand.seats, hand.big_blind)
        if len(numbers) > 2 and hand.big_blind in numbers and hand.terms.straddle is None:
            after_big = numbers[(numbers.index(hand.big_blind) + 1) % len(numbers)]
            if after_big in broke and after_big != hand.small_blind:
                raise _UncheckedError("a player who may have straddled has no chip left for it")

    def _positions(self) -> None:
        hand, numbers = self.hand, [seat.number for seat in self.hand.seats]
        if len(set(numbers)) != len(numbers) or len(numbers) < 2:
            self.wrong("seats", f"the seats dealt in are {numbers}")
            return
        if hand.button is None:
            self.verdict.unchecked["button: the source does not tell it"] += 1
            turns = sum(left > right for left, right in zip(numbers, numbers[1:] + numbers[:1], strict=True))
            if turns != 1:
                self.wrong("seats", f"the deal does not go clockwise: {numbers}")
            return
        clockwise = sorted(numbers, key=lambda seat: (seat - hand.button - 1) % 100)
        if numbers != clockwise:
            self.wrong(
                "button",
                f"the deal begins at seat {numbers[0]}, left of the button {hand.button} is {clockwise[0]}",
            )
        if hand.big_blind is None:
            return
        first = [seat for seat in numbers if seat != hand.small_blind]
        if len(numbers) == 2:
            if hand.small_blind is not None and (
                hand.small_blind != hand.button or hand.big_blind == hand.button
            ):
                self.wrong("button", f"heads-up the button {hand.button} does not post the small blind")
        elif hand.small_blind is not None and numbers[:2] != [hand.small_blind, hand.big_blind]:
            self.wrong(
                "blinds",
                f"blinds {hand.small_blind} and {hand.big_blind}, dealt from the left of the button: {numbers}",
            )
        elif hand.small_blind is None and first[0] != hand.big_blind:
            self.wrong(
                "blinds", f"the big blind {hand.big_blind} is not the first left of the button: {numbers}"
            )

    # --- posts ------------------------------------------------------------------------------------------------

    def _nominal(self, step: Step) -> int | None:
        terms = self.hand.terms
        if step.bet is not None:
            return step.bet
        return {
            "small_blind": terms.small_blind,
            "big_blind": terms.big_blind,
            "straddle": terms.straddle,
            "ante": terms.ante,
            "big_blind_ante": terms.big_blind_ante,
            "live_post": terms.big_blind,
            "dead_post": terms.small_blind,
        }[step.kind]

    def _post(self, step: Step) -> None:
        betting, hand = self._betting, self.hand
        player, nominal, amount = betting.players[step.seat], self._nominal(step), step.amount or 0
        if nominal is None:
            nominal = amount
        elif amount != min(nominal, player.stack):
            self.wrong(
                "post", f"seat {step.seat} posts {amount} as {step.kind}, owes {min(nominal, player.stack)}"
            )
        if step.kind in player.posted:
            self.wrong("post", f"seat {step.seat} posts {step.kind} twice")
        if step.kind == "straddle":
            numbers = [seat.number for seat in hand.seats]
            after = (numbers.index(hand.big_blind) + 1) % len(numbers) if hand.big_blind in numbers else None
            if len(numbers) < 3 or after is None or numbers[after] != step.seat:
                self.wrong("post", f"seat {step.seat} straddles, and is not the first left of the big blind")
            if self.hand.terms.straddle == 0:
                self.wrong("post", "a straddle at a table without")
        before_blinds = {"ante", "big_blind_ante"}
        if step.kind in before_blinds and any(
            each.posted - before_blinds for each in betting.players.values()
        ):
            self.wrong("post", f"the {step.kind} of seat {step.seat} comes after a blind")
        betting.post(step.seat, step.kind, amount, nominal)
        self._stack(step)

    def _owed(self, posts: list[Step]) -> None:
        hand, terms, betting = self.hand, self.hand.terms, self._betting
        wanted = [("small_blind", hand.small_blind), ("big_blind", hand.big_blind)]
        if terms.big_blind_ante:
            wanted.append(("big_blind_ante", hand.big_blind))
        if terms.ante:
            wanted += [("ante", seat.number) for seat in hand.seats]
        for what, seat in wanted:
            others = [step.seat for step in posts if step.kind == what and step.seat != seat]
            if what != "ante" and others:
                self.wrong("post", f"seats {others} post a {what} that seat {seat} owes")
            if seat is None or seat not in betting.players:
                continue
            player = betting.players[seat]
            paid_all = player.start == sum(step.amount or 0 for step in posts if step.seat == seat)
            if what not in player.posted and not paid_all:
                self.wrong("post", f"seat {seat} does not post the {what}")

    def _nominal_pot(self) -> None:
        """D4: in pot-limit blinds count in full before the flop, also if there was no chip or no player for them."""
        hand, betting = self.hand, self._betting
        for what, seat, nominal in (
            ("small_blind", hand.small_blind, hand.terms.small_blind),
            ("big_blind", hand.big_blind, hand.terms.big_blind),
        ):
            if nominal is not None and (seat is None or what not in betting.players[seat].posted):
                betting.not_posted(nominal)

    # --- decisions --------------------------------------------------------------------------------------------

    def _turn(self, step: Step) -> None:
        asked = self._betting.actor(self._last)
        if step.seat != asked:
            self.wrong(
                "turn", f"seat {step.seat} is asked on the {self._betting.street}, it is the turn of {asked}"
            )
            return
        legal = self._betting.legal(step.seat)
        if step.turn is not None and step.turn != legal:
            self.wrong("legal_range", f"seat {step.seat} may {_told(step.turn)}, by the rules {_told(legal)}")

    def _act(self, step: Step) -> None:
        betting = self._betting
        player = betting.players[step.seat]
        asked = betting.actor(self._last)
        while asked != step.seat and asked is not None and not self.hand.tells_clock and asked != self._last:
            betting.act(asked, "clock_all_in", 0)  # the source has no words for the clock (H3)
            self._last = asked
            asked = betting.actor(self._last)
        if asked != step.seat:
            self.wrong("turn", f"seat {step.seat} acts on the {betting.street}, it is the turn of {asked}")
        if step.kind == "check_or_call":
            step = replace(step, kind="check" if betting.legal(step.seat).check else "call")
        added = self._added(step)
        reason = self._illegal(step, betting.legal(step.seat), player.bet + added, added, player.stack)
        if reason is not None:
            self.wrong(*reason)
        if added > player.stack or added < 0:
            self.wrong("stack", f"seat {step.seat} puts in {added} of {player.stack}")
        betting.act(step.seat, step.kind, added)
        self._last = step.seat
        self._last_aggressor = betting.aggressor
        if step.bet is not None and step.bet != player.bet:
            self.wrong("bet", f"the bet of seat {step.seat} is {player.bet}, told as {step.bet}")
        self._stack(step)

    def _added(self, step: Step) -> int:
        player = self._betting.players[step.seat]
        if step.amount is not None:
            return step.amount
        if step.kind in {"bet", "raise"}:
            return (step.bet or 0) - player.bet
        return self._betting.legal(step.seat).call_amount if step.kind == "call" else 0

    def _illegal(self, step: Step, legal: Turn, total: int, added: int, stack: int) -> tuple[str, str] | None:
        seat = f"seat {step.seat}"
        match step.kind:
            case "fold":
                return None if added == 0 else ("bet", f"{seat} folds and puts in {added}")
            case "clock_all_in":
                player = self._betting.players[step.seat]
                if added:
                    return "bet", f"the clock puts in {added} of {seat}"
                return (
                    None
                    if player.live + player.dead
                    else ("clock", f"{seat} is all-in by the clock with nothing")
                )
            case "check":
                return (
                    None
                    if legal.check and not added
                    else ("check", f"{seat} checks facing {legal.call_amount}")
                )
            case "call":
                if legal.check or added != legal.call_amount:
                    return "call", f"{seat} calls with {added}, a call is {legal.call_amount}"
                return None
        if legal.max_raise_to is None or legal.min_raise_to is None:
            return "raise_not_allowed", f"{seat} raises to {total}, and may not"
        if total < legal.min_raise_to:
            return "raise_too_small", f"{seat} raises to {total}, the smallest is {legal.min_raise_to}"
        if total > legal.max_raise_to:
            return "raise_too_large", f"{seat} raises to {total}, the largest is {legal.max_raise_to}"
        return None

    def _stack(self, step: Step) -> None:
        player = self._betting.players[step.seat]
        if step.stack is not None and step.stack != player.stack:
            self.wrong(
                "stack", f"seat {step.seat} has {player.stack} after {step.what}, told as {step.stack}"
            )
        if step.all_in is not None and step.all_in != player.all_in:
            self.wrong("all_in", f"seat {step.seat} all-in: {player.all_in}, told as {step.all_in}")

    def _uncalled(self, step: Step) -> None:
        self._betting_over()
        excess = self._betting.excess()
        if (step.seat, step.amount) != excess:
            self.wrong("uncalled", f"{step.amount} come back to seat {step.seat}, unmatched is {excess}")
        self._betting.uncalled(step.seat, step.amount or 0)
        self._stack(step)

    def _betting_over(self) -> None:
        asked = self._betting.actor(self._last)
        while asked is not None and not self.hand.tells_clock and asked != self._last:
            self._betting.act(asked, "clock_all_in", 0)
            self._last, asked = asked, self._betting.actor(asked)
        if asked is not None:
            self.wrong("turn", f"the {self._betting.street} is over, and seat {asked} was not asked")

    # --- streets ----------------------------------------------------------------------------------------------

    def _street(self, step: Step) -> None:
        betting = self._betting
        self._betting_over()
        following = STREETS[STREETS.index(betting.street) + 1] if betting.street != "river" else None
        if step.kind != following or len(step.cards) != BOARD_CARDS.get(step.kind, 0):
            self.wrong("street", f"after the {betting.street}: {step.kind} with {len(step.cards)} cards")
        if len(betting.live) < 2:
            self.wrong("street", f"a {step.kind} for one player")
        self._excess_returned(f"before the {step.kind}")
        if step.pots is not None:
            pots = tuple((pot.amount, pot.seats) for pot in layers(betting.players.values()))
            if step.pots != pots:
                self.wrong("pot", f"on the {step.kind} the pots are {pots}, told as {step.pots}")
        self._cards(step.cards)
        self._board += step.cards
        betting.next_street(step.kind)
        self._last = None

    def _excess_returned(self, when: str) -> None:
        excess = self._betting.excess()
        if excess is not None:
            seat, amount = excess
            if self.hand.tells_returns:
                self.wrong(
                    "uncalled", f"{amount} of seat {seat} were not matched, and did not come back {when}"
                )
            self._betting.uncalled(seat, amount)

    def _cards(self, cards: tuple[str, ...]) -> None:
        for card in cards:
            if not is_card(card):
                self.wrong("card", f"{card!r} is no card")
            if card in self._seen:
                self.wrong("card_twice", f"{card} is there twice")
            self._seen.add(card)

    def _end_of_betting(self) -> None:
        betting = self._betting
        self._betting_over()
        self._excess_returned("at the end")
        if len(betting.live) > 1 and len(self._board) != 5:
            self.wrong(
                "street", f"{len(betting.live)} players are in, and the board has {len(self._board)} cards"
            )

    # --- showing ----------------------------------------------------------------------------------------------

    def _turn_up(self, step: Step) -> None:
        betting = self._betting
        player = betting.players[step.seat]
        if self._first_showing is None:
            self._betting_over()
            self._first_showing = betting.aggressor, len(self._board) == 5
        if player.folded:
            self.wrong("shown_folded", f"seat {step.seat} folded, and its hand is turned up")
        if step.seat in self._turned:
            self.wrong("shown_mucked", f"the hand of seat {step.seat} is turned up or mucked twice")
        if len(betting.live) < 2:
            self.wrong(
                "shown_unasked", f"seat {step.seat} has won without a contest, and its hand is turned up"
            )
        self._turned.append(step.seat)
        if step.what == "muck":
            self._mucked.add(step.seat)
            if step.cards:
                self.wrong("shown_mucked", f"seat {step.seat} mucks, and its cards are told: {step.cards}")
            return
        if len(step.cards) != self.hand.terms.hole_cards:
            self.wrong("card", f"seat {step.seat} shows {len(step.cards)} cards")
            return
        self._cards(step.cards)
        self._shown[step.seat] = step.cards
        rank = kind(best(step.cards, self._board, self.hand.terms.game)) if len(self._board) == 5 else None
        if step.rank is not None and step.rank != rank:
            self.wrong("rank", f"seat {step.seat} shows {rank}, told as {step.rank}")

    def _showdown(self) -> None:  # noqa: C901 -- one branch for each promise
        betting, live = self._betting, [player.seat for player in self._betting.live]
        if len(live) < 2:
            return
        silent = [seat for seat in live if seat not in self._turned]
        if silent:
            self.wrong("showdown", f"seats {silent} neither show nor muck")
            return
        aggressor, complete = self._first_showing or (None, True)
        all_in = any(player.all_in for player in betting.live)
        if not complete and betting.closed is False:
            self.wrong("shown_early", "hands are turned up while players can still bet")
        if all_in and self._mucked:
            if self.hand.terms.show_all_in is None:
                self.verdict.unchecked["mucked with a player all-in: a setting of the table"] += 1
            elif self.hand.terms.show_all_in:
                self.wrong("all_in_mucked", f"a player is all-in, and seats {sorted(self._mucked)} muck")
        if self.hand.show_order_unknown:
            self.verdict.unchecked[
                "order of showing: bets that only the clock's all-in could call are not told"
            ] += 1
            return
        firsts = [aggressor] if self.hand.shows_in_time else [aggressor, self._last_aggressor]
        orders = []
        for first in firsts:
            at = live.index(first) if first in live else 0
            orders.append(live[at:] + live[:at])
        if self._turned not in orders:
            self.wrong("show_order", f"hands are turned up by seats {self._turned}, the order is {orders[0]}")
        elif self._turned[0] in self._mucked:
            self.wrong("show_order", f"seat {self._turned[0]} shows first, and mucks")

    # --- chips ------------------------------------------------------------------------------------------------

    def _pots(self) -> None:
        pots = layers(self._betting.players.values())
        rakes = self._rakes(pots)
        if not self.hand.tells_awards:
            self._paid_silently(pots, rakes)
            return
        told = {award.pot or 0: award for award in self._awards}
        numbers = [award.pot for award in self._awards]
        if numbers != list(range(len(pots) - 1, -1, -1)):
            self.wrong(
                "pot", f"pots {numbers} are awarded, there are {len(pots)}: {[pot.amount for pot in pots]}"
            )
            return
        for number, pot in enumerate(pots):
            award = told[number]
            shares, rake = dict(award.shares), award.rake or 0
            if award.amount is not None and award.amount != pot.amount:
                self.wrong("pot", f"pot {number} has {pot.amount}, told as {award.amount}")
            if rakes is not None and award.rake is not None and rake != rakes[number]:
                self.wrong("rake", f"pot {number} pays {rakes[number]}, told as {rake}")
            elif sum(shares.values()) + rake != pot.amount and award.rake is not None:
                self.wrong(
                    "shares", f"pot {number} of {pot.amount}: {sum(shares.values())} shared, {rake} rake"
                )
            self._shared(number, pot, shares)

    def _rakes(self, pots: list[Pot]) -> list[int] | None:
        """What each pot pays; None: only the room knows."""
        hand = self.hand
        terms = hand.terms.rake
        if terms is not None:
            rake = rake_of(pots, terms, dealt_in=len(hand.seats), flop=bool(self._board))
            return rake_parts(pots, rake, terms.unit)
        if hand.rake is not None:
            return rake_parts(pots, hand.rake, hand.rake_unit)
        return [0] * len(pots) if hand.terms.rake_known else None

    def _best(self, number: int, pot: Pot) -> list[int] | None:
        """Who wins a pot, from the first left of the button; None: that cannot be said."""
        contested = len(self._betting.live) > 1
        order = [player.seat for player in self._betting.live if player.seat in pot.seats]
        if not contested or len(order) == 1:
            return order
        shown = [seat for seat in order if seat in self._shown]
        if not shown:
            self.wrong("winner", f"pot {number} has no shown hand of {order}")
            return None
        if len(self._board) != 5:
            return None
        strengths = {seat: best(self._shown[seat], self._board, self.hand.terms.game) for seat in shown}
        return [seat for seat in shown if strengths[seat] == max(strengths.values())]

    def _shared(self, number: int, pot: Pot, shares: dict[int, int]) -> None:
        if len(pot.seats) > 1 and (losers := set(shares) & self._mucked):
            self.wrong("mucked_won", f"seats {sorted(losers)} mucked and win of pot {number}")
            return
        winners = self._best(number, pot)
        if winners is None:
            return
        amount = sum(shares.values())
        few = 0 < amount < len(winners) and set(shares) <= set(winners)
        if set(shares) != set(winners) and not few:
            self.wrong("winner", f"pot {number} goes to seats {sorted(shares)}, the best hands are {winners}")
            return
        full = {seat: shares.get(seat, 0) for seat in winners}
        units = {unit for unit in self._units() if split(amount, winners, unit) == full}
        self.verdict.units &= units
        if not units:
            self.wrong(
                "odd_chip",
                f"pot {number} of {amount} is split {shares}, first left of the button {winners[0]}",
            )

    def _units(self) -> set[int]:
        terms = self.hand.terms
        if terms.tournament:
            return {1}
        return set(UNITS) if terms.unit is None else {terms.unit}

    def _paid_silently(self, pots: list[Pot], rakes: list[int] | None) -> None:
        """The stacks at the end have to follow from the cards; one smallest chip explains all pots."""
        ends, players = self.hand.ends, self._betting.players
        if ends is None or rakes is None:
            self.verdict.unchecked["pots: the source tells neither awards nor stacks at the end"] += 1
            return
        winners = [self._best(number, pot) for number, pot in enumerate(pots)]
        if None in winners:
            return
        explained, wanted = set(), {}
        for unit in sorted(self._units()):
            wanted = {seat: player.stack for seat, player in players.items()}
            for pot, rake, seats in zip(pots, rakes, winners, strict=True):
                for seat, share in split(pot.amount - rake, seats or [0], unit).items():
                    wanted[seat] += share
            if wanted == ends:
                explained.add(unit)
        self.verdict.units &= explained
        if not explained:
            self.wrong("end_stack", f"the stacks at the end are {ends}, by the rules {wanted}")

    def _stacks(self) -> None:
        ends, players = self.hand.ends, self._betting.players
        won: Counter[int] = Counter()
        for award in self._awards:
            for seat, amount in award.shares:
                won[seat] += amount
        stray = [seat for seat in won if seat not in players or players[seat].folded]
        if stray:
            self.wrong("winner", f"seats {stray} folded, and win")
        self.verdict.ends = ends or {seat: player.stack + won[seat] for seat, player in players.items()}
        if ends is None or not self.hand.tells_awards:
            return
        for seat, player in players.items():
            if ends.get(seat) != player.stack + won[seat]:
                self.wrong(
                    "end_stack", f"seat {seat} ends with {player.stack + won[seat]}, told as {ends.get(seat)}"
                )
        if set(ends) != set(players):
            self.wrong(
                "end_stack", f"stacks are told of seats {sorted(ends)}, dealt in were {sorted(players)}"
            )

    def _void(self) -> None:
        if self._awards:
            self.wrong("void", "a void hand has awards")
        started = {seat.number: seat.stack for seat in self.hand.seats}
        if self.hand.ends is not None and self.hand.ends != started:
            self.wrong("void", f"a void hand ends with {self.hand.ends}, it began with {started}")


def _told(turn: Turn) -> str:
    first = "check" if turn.check else f"call {turn.call_amount}"
    return f"{first}, raise to {turn.min_raise_to}..{turn.max_raise_to}"


def differences_of(hands: Iterator[Hand]) -> list[Difference]:
    """Of all hands; for short programs and tests."""
    return [difference for hand in hands for difference in judge(hand).differences]
