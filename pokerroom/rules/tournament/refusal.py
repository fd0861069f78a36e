"""The refusal of a request to a tournament."""


class TournamentRefusal(Exception):  # noqa: N818 -- a refusal answers a request, it is not an error of the room
    """Raised for a request that the state of the tournament does not allow; nothing has changed.

    `code` is stable: `not_full`, `tournament_started`, `not_running`, `hand_in_progress`, `no_hand`, `paused`,
    `not_paused`, `on_break`, `registration_open`, `not_playing`, `prizes_won`, `too_few_players`. The functions of
    `entries` and `satellites` name theirs.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
