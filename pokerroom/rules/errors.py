"""What can go wrong in the rules: a player's mistake, or ours."""


class IllegalAction(Exception):  # noqa: N818 -- a refusal is an answer to the player, not an error of the room
    """Raised when a player asks for what the rules refuse (C3). It changes nothing; the hand plays on.

    `code` is stable and goes to the client: `not_your_turn`, `hand_over`, `cannot_check`, `nothing_to_call`,
    `raise_not_allowed`, `raise_too_small`, `raise_too_large`. `fold_instead` answers the caller that treats
    a player as all-in by the clock who has nothing in the pot (H2).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class InvariantBroken(Exception):  # noqa: N818 -- names what happened, as a floor manager would report it
    """Raised when chips or cards do not add up, or a hand is set up as none can be: our bug.

    The table must stop rather than play on with wrong chips. The message never names a card.
    """
