"""Names the last line of the operators' log in the room's own log, so that a copy of its hash leaves the database."""

from __future__ import annotations

import structlog

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import OperatorLog

_log = structlog.get_logger()


@as_deferred
async def tell_log_head(ledger: OperatorLog) -> None:
    """Log the head; `pokerroom audit --log-head` takes it. While the ledger is away, log that it is not known."""
    try:
        head = await ledger.log_head()
    except LedgerUnavailable as unavailable:
        _log.warning("operator_log.not_told", reason=str(unavailable))
    else:
        _log.info("operator_log.head", head=str(head))
