"""The account screen: the devices that are logged in, the password, recovery codes, and limits.

The limits and the devices are told by the room; each key asks what it needs in a dialog.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from pokerroom.terminal.amounts import CREDITS, in_credits
from pokerroom.terminal.dialogs import ChoiceDialog, Field, FormDialog, TextDialog
from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.ports import RequestPort
from pokerroom.terminal.texts import local_time, t
from pokerroom_protocol import messages as m

SESSION: m.LimitName = "session_day"


class AccountScreen(FramedScreen):
    """See the module."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "key.lobby"),
        Binding("o", "end_others", "key.end_others"),
        Binding("p", "change_password", "key.password"),
        Binding("c", "make_codes", "key.codes"),
        Binding("l", "set_limit", "key.limits"),
    ]

    def __init__(self, port: RequestPort) -> None:
        super().__init__()
        self._port = port
        self._limits: Sequence[m.LimitView] = ()
        self._second_factor = False
        self._devices = Static(id="devices", markup=False)
        self._told = Static(id="limits", markup=False)

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with VerticalScroll():
            yield self._devices
            yield self._told

    def on_mount(self) -> None:
        """See `Screen`."""
        self._look()

    @work
    async def _look(self) -> None:
        security = await self._port.asked(m.GetSecurity(id=0), m.Security)
        if security is not None:
            self._show_security(security)
        limits = await self._port.asked(m.GetLimits(id=0), m.Limits, quietly=True)  # an older room has none
        if limits is not None:
            self._show_limits(limits)

    def _show_security(self, security: m.Security) -> None:
        self._second_factor = security.second_factor
        rows = [
            f"{'*' if one.current else ' '} {one.client or '?':24.24}  {one.address:20.20}  {local_time(one.seen_ms)}"
            for one in security.sessions
        ]
        codes = t("account.codes_left", count=security.recovery_codes)
        factor = t("account.factor_on" if security.second_factor else "account.factor_off")
        self._devices.update("\n".join((t("account.devices"), *rows, "", codes, factor, "")))

    def _show_limits(self, limits: m.Limits) -> None:
        self._limits = limits.limits
        lines = [t("account.limits")]
        if limits.excluded:
            until = limits.excluded_until_ms
            lines.append(
                t("account.excluded_for_ever")
                if until is None
                else t("account.excluded", until=local_time(until))
            )
        for one in limits.limits:
            line = t(
                "account.limit",
                name=t(f"limit.{one.limit}"),
                value=_value(one.limit, one.value),
                cap=_value(one.limit, one.cap),
                used=_value(one.limit, max(0, one.used)),
            )
            if one.wanted_from_ms is not None:
                wanted = _value(one.limit, one.wanted)
                line += " " + t("account.wanted", value=wanted, time=local_time(one.wanted_from_ms))
            lines.append(line)
        self._told.update("\n".join(lines))

    # --- keys ------------------------------------------------------------------------------------------------------

    @work
    async def action_end_others(self) -> None:
        """Log all other devices out."""
        security = await self._port.asked(m.EndSessions(id=0), m.Security)
        if security is not None:
            self._show_security(security)
            self.notify(t("account.ended"))

    def action_change_password(self) -> None:
        """Ask for the present password and a new one."""
        fields = [_secret("password"), _secret("new_password")]
        self._ask(t("account.change_password"), fields, self._change_password)

    @work
    async def _change_password(self, values: dict[str, str]) -> None:
        message = m.ChangePassword(id=0, password=values["password"], new_password=values["new_password"])
        security = await self._port.asked(message, m.Security)
        if security is not None:
            self._show_security(security)
            self.notify(t("account.changed"))

    def action_make_codes(self) -> None:
        """Ask for the password, and show new recovery codes."""
        fields = [_secret("password")]
        if self._second_factor:
            fields.append(Field(name="code", label=t("account.code")))
        self._ask(t("account.make_codes"), fields, self._make_codes)

    @work
    async def _make_codes(self, values: dict[str, str]) -> None:
        message = m.MakeRecoveryCodes(id=0, password=values["password"], code=values.get("code"))
        made = await self._port.asked(message, m.RecoveryCodes)
        if made is not None:
            text = "\n".join((t("account.codes_made"), "", *made.codes))
            self.app.push_screen(TextDialog(t("account.codes"), text, "c"))

    def action_set_limit(self) -> None:
        """Ask for a limit and its value; nothing as the value removes it."""
        if not self._limits:
            return
        names = {str(number): one.limit for number, one in enumerate(self._limits, 1)}

        def chosen(key: str | None) -> None:
            if key in names:
                limit = names[key]
                label = t("account.minutes" if limit == SESSION else "account.amount")
                self._ask(
                    t(f"limit.{limit}"),
                    [Field(name="value", label=label, needed=False)],
                    lambda values: self._set_limit(limit, values["value"]),
                )

        self.app.push_screen(
            ChoiceDialog(t("account.limits"), {key: t(f"limit.{name}") for key, name in names.items()}),
            chosen,
        )

    @work
    async def _set_limit(self, limit: m.LimitName, text: str) -> None:
        try:
            value = None if not text else _parsed(limit, text)
        except ValueError as wrong:
            self.notify(str(wrong), severity="error")
            return
        limits = await self._port.asked(m.SetLimit(id=0, limit=limit, value=value), m.Limits)
        if limits is not None:
            self._show_limits(limits)

    def _ask(self, title: str, fields: Sequence[Field], then: Callable[[dict[str, str]], object]) -> None:
        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                then(values)

        self.app.push_screen(FormDialog(title, fields), answered)


def _secret(name: str) -> Field:
    return Field(name=name, label=t(f"account.{name}"), secret=True)


def _value(limit: m.LimitName, value: int | None) -> str:
    if value is None:
        return t("account.none")
    return t("account.in_minutes", minutes=value // 60) if limit == SESSION else in_credits(value)


def _parsed(limit: m.LimitName, text: str) -> int:
    """Parse a typed limit: minutes, or an amount. Raise ValueError with a text for the player."""
    if limit != SESSION:
        return CREDITS.parse(text)
    if not text.isascii() or not text.isdigit() or int(text) > 24 * 60:
        raise ValueError(t("account.bad_minutes"))
    return int(text) * 60
