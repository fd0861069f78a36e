"""JSON Schemas of message classes and their parts, and the meaning of a field in them.

The schemas of msgspec are those of a reader that fills in defaults. These are for generators of types: what the room
sends has all its fields, and each set of values is one definition with a name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import msgspec

from .errors import Code

__all__ = ["described_schemas", "meaning"]

_CODE: Final = "ErrorCode"
_ENUMS: Final = {
    "AccountSettings.language": "Language",
    "Act.action": "Action",
    "Acted.action": "ActedAction",
    "BetResult.bet": "UltimateBet",
    "BoardDealt.street": "UltimateStreet",
    "BoxBetsView.status": "BoxStatus",
    "BoxDecision.decision": "BoxAction",
    "BoxResult.outcome": "BoxOutcome",
    "CashRequestView.kind": "CashRequestKind",
    "CashRequestView.state": "CashRequestState",
    "ChangeBets.action": "BetChange",
    "ChangeHostedTable.order": "HostOrder",
    "ChangeSitAndGo.order": "SitAndGoOrder",
    "ClubLine.your_role": "ClubRole",
    "CreateSitAndGo.game": "PokerGame",
    "CreateSitAndGo.structure": "BettingStructure",
    "CreateTable.game": "PokerGame",
    "CreateTable.structure": "BettingStructure",
    "DealEnded.reason": "DealEndReason",
    "DealView.kind": "DealKind",
    "Exclude.length": "ExclusionLength",
    "ChipSaleState.kind": "PurchaseKind",
    "ExportHands.format": "HandFormat",
    "GuestView.seat": "SeatStanding",
    "HandLinkView.names": "ShownNames",
    "HandStep.street": "Street",
    "HandStep.what": "HandStepKind",
    "HistoryEntry.game": "HistoryGame",
    "Error.limit": "LimitName",
    "LeagueLine.period": "LeaguePeriod",
    "LeagueLine.score": "LeagueScore",
    "LightChanged.light": "Light",
    "PlaceBet.bet": "PlacedBet",
    "PlayerNoteView.color": "NoteColor",
    "Posted.kind": "ForcedBet",
    "PreAct.action": "PreAction",
    "ScheduledTournament.bounty_kind": "BountyKind",
    "ScheduledTournament.level_unit": "LevelUnit",
    "ScheduledTournament.phase": "TournamentPhase",
    "ScheduledTournament.your_status": "EntryStatus",
    "SeatChanged.status": "SeatStatus",
    "SitOut.when": "SitOutTime",
    "SngRefunded.reason": "RefundReason",
    "StakeStatisticsView.position": "Position",
    "TableNotice.state": "TableNoticeState",
    "TournamentEnded.phase": "TournamentEnd",
    "TournamentMoved.reason": "TournamentMoveReason",
    "TournamentState.hand_for_hand_ties": "HandForHandTies",
    "Turn.on_timeout": "TimeoutAction",
    "UltimateInfo.qualification": "Qualification",
    "UltimateInfo.seating": "UltimateSeating",
    "WaitEnded.reason": "WaitEndReason",
}
"""The name of each set of values, by the field that has it first."""


def described_schemas(
    kinds: Iterable[Any], ref_template: str, *, requests: Collection[Any], bare: bool = False
) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of the classes and their parts, by class name. Raise KeyError for a set of values
    without a name.

    Fields with a default are optional in `requests` only: the room always sends every field, but for those that are
    `UNSET` by default. A field that refers to a definition loses its description where references are `bare`, as
    draft 7 has them.
    """
    optional = {kind.__name__ for kind in requests}
    _, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    enums = _Enums(ref_template, bare=bare)
    found = {}
    for name, schema in sorted(definitions.items()):
        plain = _plain(schema)
        fields = plain.get("properties", {})
        sent = [field for field in fields if field in plain["required"] or "default" in fields[field]]
        for field, part in fields.items():
            if field == "type":
                fields[field] = {"type": "string", "const": part["enum"][0]}
            else:
                fields[field] = enums.taken_out(part, f"{name}.{field}")
            if name not in optional:
                fields[field].pop("default", None)
        if fields and name not in optional:
            plain["required"] = sent
        found[name] = plain
    return dict(sorted((found | enums.definitions).items()))


class _Enums:
    """The sets of values that have been taken out of fields, each once."""

    def __init__(self, ref_template: str, *, bare: bool) -> None:
        self._ref_template = ref_template
        self._bare = bare
        self._names: dict[tuple[str, ...], str] = {}
        self.definitions: dict[str, dict[str, Any]] = {}

    def taken_out(self, part: Any, path: str) -> Any:
        """Return the schema of a field with references instead of sets of values."""
        if not isinstance(part, dict):
            return part
        if "x-codes" in part:
            self.definitions.setdefault(_CODE, self._codes())
            return self._reference(part, self._ref_template.format(name=_CODE))
        if "enum" in part:
            values = tuple(part["enum"])
            name = self._names.get(values)
            if name is None:
                name = self._names[values] = _ENUMS[path]
                self.definitions[name] = {"title": name, "type": "string", "enum": list(values)}
            return self._reference(part, self._ref_template.format(name=name))
        if "$ref" in part:
            return self._reference(part, part["$ref"])
        changed = dict(part)
        if "anyOf" in part:
            changed |= _nullable([self.taken_out(option, path) for option in part["anyOf"]], path)
            if "type" in changed:
                del changed["anyOf"]
            changed |= {key: part[key] for key in ("description",) if key in part}
        if "items" in part:
            changed["items"] = self.taken_out(part["items"], path)
        return changed

    def _reference(self, part: dict[str, Any], target: str) -> dict[str, Any]:
        reference = {"$ref": target}
        kept: dict[str, Any] = {key: part[key] for key in ("description", "default") if key in part}
        # in allOf: some generators make a type of its own of a reference that has a description beside it
        return reference if self._bare or not kept else {**kept, "allOf": [reference]}

    @staticmethod
    def _codes() -> dict[str, Any]:
        # any text is valid: a client must take codes that it does not know
        return {
            "title": _CODE,
            "description": "The known codes, each with its kind in x-codes; later rooms may send others.",
            "anyOf": [
                {"title": "KnownErrorCode", "type": "string", "enum": [code.value for code in Code]},
                {"type": "string"},
            ],
            "x-codes": {code.value: code.kind for code in Code},
        }


def _nullable(options: list[dict[str, Any]], path: str) -> dict[str, Any]:
    """Return the schema of a field that may be null; a reference stays one of two options, which get a title."""
    null = {"type": "null"}
    one, other = options
    assert other == null, f"{path} has two kinds of values"
    if "type" in one:
        return {**one, "type": [one["type"], "null"]}
    title = "".join(word.title() for word in path.partition(".")[2].split("_"))
    return {"title": f"{path.partition('.')[0]}{title}", "anyOf": [one, null]}


def _plain(part: Any) -> Any:
    """Return the schema without look-aheads: a `$` of JSON Schema matches at the end only, and RE2 knows none.

    Descriptions are one line.
    """
    if isinstance(part, dict):
        plain = {key: _plain(value) for key, value in part.items()}
        if isinstance(pattern := plain.get("pattern"), str):
            plain["pattern"] = pattern.removesuffix(r"(?!\n)")
        if isinstance(text := plain.get("description"), str):
            plain["description"] = " ".join(text.split())
        return plain
    return [_plain(each) for each in part] if isinstance(part, list) else part


def meaning(schema: dict[str, Any]) -> str:
    """Return the description of a field's schema, also an inner one; empty if it has none."""
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")
