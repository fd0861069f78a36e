"""Texts of a table of Ultimate Texas Hold'em: limits, pay tables, log lines, results. Knows the messages only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Final

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.texts import refusal, t
from pokerroom.terminal.words import cards, log_line
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

_WHOLE_BPS: Final = 10_000


def limits(info: m.UltimateInfo) -> str:
    """Return the limits of Ante and Trips."""
    said = [
        t("uth.limits", bet=t("uth_bet.ante"), low=in_credits(info.ante_min), high=in_credits(info.ante_max))
    ]
    if info.trips_min is not None and info.trips_max is not None:
        low, high = in_credits(info.trips_min), in_credits(info.trips_max)
        said.append(t("uth.limits", bet=t("uth_bet.trips"), low=low, high=high))
    return "   ".join(said)


def headline(table: m.UltimateSnapshot) -> str:
    """Return two lines: name and limits; who plays which hand, and the meter."""
    lower = [t(f"uth_seating.{table.info.seating}", n=table.info.boxes or 1)]
    if table.meter is not None:
        lower.append(t("uth.meter", amount=in_credits(table.meter)))
    return "\n".join(["   ".join([table.info.name, limits(table.info)]), "   ".join(lower)])


def pay_tables(info: m.UltimateInfo) -> str:
    """Return the pay tables, one line for each hand, and what the bank needs."""
    blind = {row.hand: f"{row.pays}:{row.to}" for row in info.blind_pays}
    trips = {row.hand: f"{row.pays}:{row.to}" for row in info.trips_pays}
    prizes = [] if info.progressive is None else info.progressive.prizes
    meter = {prize.hand: _prize(prize) for prize in prizes}
    columns = {"blind": blind, "trips": trips, "progressive": meter}
    shown = [(t(f"uth_bet.{bet}"), pays) for bet, pays in columns.items() if pays]
    rows = [["", *(name for name, _ in shown)]]
    rows += [
        [t(f"rank.{hand}", hand), *(pays.get(hand, "") for _, pays in shown)]
        for hand in {**trips, **blind, **meter}
    ]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    said = [
        *lines,
        "",
        t("uth.blind_when"),
        t("uth.trips_when"),
        t(f"uth_qualification.{info.qualification}"),
    ]
    if info.progressive is not None:
        stake, envy = in_credits(info.progressive.stake), in_credits(info.progressive.envy_prize)
        said.append(t("uth.progressive_when", stake=stake, envy=envy))
    return "\n".join(said)


def _prize(prize: m.Prize) -> str:
    if prize.meter_bps is None:
        return in_credits(prize.amount or 0)
    return t("uth.of_meter", percent=prize.meter_bps * 100 // _WHOLE_BPS)


# --- bets and results ------------------------------------------------------------------------------------------------


def slip_text(slip: m.SlipView | None, box: int | None) -> str:
    """Return the bets on this box, and the sum of all bets with the wallet."""
    if slip is None:
        return t("uth.bet_now")
    own = next((bet for bet in slip.bets if bet.box == box), None)
    if own is None:
        return f"{t('uth.bet_now')}   {t('uth.wallet', balance=in_credits(slip.balance))}"
    return t("uth.slip", bets=bets_text(own), total=in_credits(slip.total), balance=in_credits(slip.balance))


def bets_text(bets: m.SlipBet | m.BoxBetsView) -> str:
    """Return the bets of one box that are there, apart from the Play."""
    named = {"ante": bets.ante, "trips": bets.trips, "progressive": bets.progressive}
    return "  ".join(f"{t(f'uth_bet.{bet}')} {in_credits(amount)}" for bet, amount in named.items() if amount)


def choices(decisions: m.DecisionsView, ante: int) -> str:
    """Return the keys of the legal decisions of a box with this Ante."""
    said = [
        t("uth.play", multiple=multiple, amount=in_credits(multiple * ante))
        for multiple in sorted(decisions.multiples, reverse=True)
    ]
    said += [t("uth.check")] * decisions.check + [t("uth.fold")] * decisions.fold
    return "   ".join(said)


def result(box: m.BoxResult) -> str:
    """Return the player's own result: what they won or lost in all."""
    won = net(box)
    if box.outcome == "void":
        return t("uth.void")
    if won == 0:
        return t("uth.even")
    return t("uth.won" if won > 0 else "uth.lost", amount=in_credits(abs(won)))


def net(box: m.BoxResult) -> int:
    """Return what the box won; negative for a loss."""
    return sum(bet.paid - bet.staked for bet in box.bets) + box.envy


def signed(amount: int) -> str:
    """Return an amount with its sign; none for zero."""
    return f"{'+' if amount > 0 else '-' if amount < 0 else ''}{in_credits(abs(amount))}"


# --- the log ---------------------------------------------------------------------------------------------------------


def round_line(event: m.Event, names: Mapping[int, str]) -> str | None:
    """Return the log lines of an event; None if the table shows it. `names` are the players of the boxes."""

    def name(box: int) -> str:
        return names.get(box, t("uth.box", box=box))

    match event:
        case m.PlaceTaken():
            return t("uth.taken", name=event.name)
        case m.PlaceLeft():
            return t("log.seat_left", name=event.name)
        case m.RoundStarted():
            return t("uth.started")
        case m.BetsRefused():
            return "\n".join(map(_refused, event.refused)) or None
        case m.Decided():
            line = _decided(event, name(event.box))
            return t("log.by_clock", line=line) if event.automatic else line
        case m.BoardDealt():
            street = t(f"uth_street.{event.street}", t(f"street.{event.street}", event.street))
            return t("log.street", street=street, cards=cards(event.cards))
        case m.TipGiven():
            return t("uth.tipped", name=event.name, amount=in_credits(event.amount))
        case m.RoundEnded():
            return _ended(event)
        case _:
            return log_line(event, names)


def _refused(bet: m.RefusedBet) -> str:
    known = {code.value: code.sentence for code in Code}
    why = refusal(bet.code, known.get(bet.code, bet.code))
    return t("uth.refused", bet=t(f"uth_bet.{bet.bet}"), amount=in_credits(bet.amount), why=why)


def _decided(event: m.Decided, name: str) -> str:
    if event.decision == "play":
        return t("uth.plays", name=name, amount=in_credits(event.amount))
    return t(f"log.{event.decision}", name=name, added="", bet="")


def _ended(event: m.RoundEnded) -> str:
    if event.void or event.bank is None:
        return t("uth.void")
    return "\n".join([bank_text(event.bank), *map(_box_line, event.boxes)])


def bank_text(bank: m.BankResult) -> str:
    """Return the bank's cards and hand, and whether it qualifies."""
    hand = t(f"rank.{bank.hand}", bank.hand)
    return t("uth.qualifies" if bank.qualifies else "uth.not_qualified", cards=cards(bank.cards), hand=hand)


def _box_line(box: m.BoxResult) -> str:
    hand = "" if box.hand is None else t(f"rank.{box.hand}", box.hand)
    parts = [f"{t(f'uth_bet.{bet.bet}')} {signed(bet.paid - bet.staked)}" for bet in box.bets]
    parts += [f"Envy {signed(box.envy)}"] if box.envy else []
    said = [cards(box.cards or []), hand, t(f"uth_outcome.{box.outcome}")]
    return f"{box.name}: {', '.join(filter(None, said))}: {signed(net(box))} ({', '.join(parts)})"


def boxes_of(names: Sequence[m.PlaceView | m.BoxBetsView | m.BoxResult]) -> dict[int, str]:
    """Return the players by box."""
    return {one.box: one.name for one in names}
