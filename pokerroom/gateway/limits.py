"""The rate limit of a connection, and the other bounds of a session. Knows no connections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """What one connection may ask of the room."""

    frame_bytes_max: int
    messages_per_s: int
    message_burst: int
    idle_s: int
    connections_max: int


class TokenBucket:
    """Allows `messages_per_s` on average and `message_burst` at once. Times are in seconds of one clock."""

    def __init__(self, limits: SessionLimits, now_s: float) -> None:
        self._limits = limits
        self._left = float(limits.message_burst)
        self.heard_at = now_s
        """When the last message came; at first when the connection began."""

    def spent(self, now_s: float) -> bool:
        """Count a message. Return True if it exceeds the limit."""
        earned = (now_s - self.heard_at) * self._limits.messages_per_s
        self._left = min(float(self._limits.message_burst), self._left + earned)
        self.heard_at = now_s
        if self._left < 1:
            return True
        self._left -= 1
        return False
