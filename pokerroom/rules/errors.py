"""What can go wrong in the rules: a player's mistake, or a bug of the room."""


class IllegalAction(Exception):  # noqa: N818 -- a refusal is an answer to the player, not an error of the room
    """Raised when a player asks for what the rules refuse (C3). It changes nothing; the hand plays on.

    `code` is stable and goes to the client: `not_your_turn`, `hand_over`, `cannot_check`, `nothing_to_call`,
    `raise_not_allowed`, `raise_too_small`, `raise_too_large`. `fold_instead` is for the caller that treats a player
    as all-in by the clock: the player has nothing in the pot and is to be folded (H2).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class InvariantBroken(Exception):  # noqa: N818 -- names what happened, as a floor manager would report it
    """Raised when chips or cards do not add up, or a hand is set up as none can be: a bug of the room.

    The table must stop rather than play on with wrong chips. The message never names a card.
    """


class UnknownName(ValueError):  # noqa: N818 -- says what is wrong with the text that was read
    """Raised when a name that is read back is that of no variant and no betting structure.

    The message lists the known names. Nothing is ever read as another game.
    """
