"""Texts of the table: the log line of each event, and stakes. It knows the protocol's messages only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pokerroom.terminal.amounts import CREDITS, Unit
from pokerroom.terminal.texts import t
from pokerroom_protocol import messages as m

SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def card(text: str) -> str:
    """Return `A♠` for `As`."""
    return text[:1].replace("T", "10") + SUITS.get(text[1:], text[1:])


def cards(texts: list[str]) -> str:
    """Return several cards, separated by spaces."""
    return " ".join(map(card, texts))


def blinds(of: m.TableInfo | m.LevelView | m.StakesChanged, unit: Unit = CREDITS) -> str:
    """Return the blinds, as 0.50/1, or the bets of a fixed limit."""
    return f"{unit.text(of.small_bet or of.small_blind)}/{unit.text(of.big_bet or of.big_blind)}"


def stakes(info: m.TableInfo, unit: Unit = CREDITS) -> str:
    """Return the stakes, as 0.50/1, with the antes and the rake."""
    more = [t("table.ante", amount=unit.text(ante)) for ante in (info.ante, info.big_blind_ante) if ante]
    return ", ".join([blinds(info, unit), *more, *_rake(info, unit)])


def _rake(info: m.TableInfo, unit: Unit) -> list[str]:
    if not info.rake:
        return []
    share = f"{CREDITS.text(info.rake.bps)} %"  # 1/100 % are written as 1/100 credit
    if not info.rake.caps:
        return [t("table.rake", share=share)]
    cap = unit.text(max(cap.amount for cap in info.rake.caps))
    return [t("table.rake_capped", share=share, cap=cap)]


def played(info: m.TableInfo | m.SitAndGoInfo | m.ScheduledTournament | m.TournamentState) -> str:
    """Return how it is bet, and the game unless it is hold'em."""
    return f"{t(f'game.{info.game}', '')} {t(f'structure.{info.structure}')}".strip()


def log_line(event: m.Event, names: Mapping[int, str], unit: Unit = CREDITS) -> str | None:  # noqa: C901, PLR0912 -- one case per event
    """Return the log line of an event; None if the table shows it. `names` are the players before the event."""

    def name(seat: int) -> str:
        return names.get(seat, t("table.seat", seat=seat))

    match event:
        case m.HandStarted():
            return t("log.hand_started", name=name(event.button))
        case m.Posted():
            amount = unit.text(event.amount)
            return t(f"posted.{event.kind}", f"{event.kind} {amount}", name=name(event.seat), amount=amount)
        case m.Acted():
            return _acted(event, name(event.seat), unit)
        case m.StreetDealt():
            return t("log.street", street=t(f"street.{event.street}"), cards=cards(event.cards))
        case m.UncalledBet():
            return t("log.returned", amount=unit.text(event.amount), name=name(event.seat))
        case m.Shown():
            rank = t(f"rank.{event.rank}", event.rank or "")
            text = "log.shown_rank" if rank else "log.shown"
            return t(text, name=name(event.seat), cards=cards(event.cards), rank=rank)
        case m.Mucked():
            return t("log.mucked", name=name(event.seat))
        case m.PotAwarded():
            text = "log.wins_side" if event.pot else "log.wins"
            lines = [
                t(text, name=name(share.seat), amount=unit.text(share.amount), number=event.pot)
                for share in event.shares
            ]
            if event.rake:
                lines.append(t("log.rake", amount=unit.text(event.rake)))
            return "\n".join(lines)
        case m.HandEnded():
            return t("log.void") if event.void else None
        case m.SeatTaken():
            return t("log.seat_taken", name=event.name, amount=unit.text(event.stack))
        case m.SeatLeft():
            return t("log.seat_left", name=event.name)
        case m.ChatSaid():
            return f"{event.name}: {event.text}"
        case m.TablePaused():
            return t("log.paused" if event.paused else "log.resumed")
        case m.StakesChanged():
            return t("log.stakes", stakes=blinds(event, unit))
        case m.TableNotice():
            return t(f"notice.{event.state}", event.message)
        case _:
            return None


def wait_ended(event: m.WaitEnded, name: str) -> str:
    """Return why the player is no longer on the waiting list of this table."""
    return t(f"wait_ended.{event.reason}", t("wait_ended.other", table=name), table=name)


def _acted(event: m.Acted, name: str, unit: Unit) -> str:
    added, bet = unit.text(event.added), unit.text(event.bet)
    line = t(f"log.{event.action}", f"{name}: {event.action}", name=name, added=added, bet=bet)
    if event.all_in and event.action != "clock_all_in":
        line = t("log.all_in", line=line)
    return t("log.by_clock", line=line) if event.by_clock else line
