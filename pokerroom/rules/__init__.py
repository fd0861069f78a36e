"""The rules of poker: `from pokerroom.rules import ...` is enough to play a hand.

`start` begins the hand of a `HandSetup`, `legal_actions` tells what the player to act may do, and `apply` takes an
action; both return what happened as events. `deal` turns a shuffled deck into cards, and `plan_hand` moves the button
and the blinds between hands. Nothing here asks the time, draws a random number, or waits.
"""

from pokerroom.rules.actions import Action, Call, Check, ClockAllIn, Fold, RaiseTo
from pokerroom.rules.betting import (
    STRUCTURES,
    BettingStructure,
    FixedLimit,
    NoLimit,
    PotLimit,
    structure_named,
)
from pokerroom.rules.button import Candidate, Owes, missed_blinds, plan_hand
from pokerroom.rules.cards import DECK, Card, card_text, parse_card, parse_cards
from pokerroom.rules.data import state_from_data, state_to_data
from pokerroom.rules.deal import Deal, deal
from pokerroom.rules.errors import IllegalAction, InvariantBroken, UnknownName
from pokerroom.rules.events import (
    ActionKind,
    Event,
    HandFinished,
    HandMucked,
    HandShown,
    PlayerActed,
    PlayerPosted,
    PostKind,
    PotWon,
    Street,
    StreetOpened,
    UncalledBetReturned,
)
from pokerroom.rules.hand import apply, legal_actions, start
from pokerroom.rules.planned_hand import HandPlan, Positions
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.ranking import HandCategory, category, hand_rank
from pokerroom.rules.setup import HandSetup, PlayerSetup
from pokerroom.rules.stakes import Stakes, fixed_limit_stakes
from pokerroom.rules.state import HandState, LegalActions, PlayerStatus
from pokerroom.rules.variants import HOLDEM, OMAHA, VARIANTS, Variant, variant_named

__all__ = [
    "DECK",
    "HOLDEM",
    "OMAHA",
    "STRUCTURES",
    "VARIANTS",
    "Action",
    "ActionKind",
    "BettingStructure",
    "Call",
    "Candidate",
    "Card",
    "Check",
    "ClockAllIn",
    "Deal",
    "Event",
    "FixedLimit",
    "Fold",
    "HandCategory",
    "HandFinished",
    "HandMucked",
    "HandPlan",
    "HandSetup",
    "HandShown",
    "HandState",
    "IllegalAction",
    "InvariantBroken",
    "LegalActions",
    "NoLimit",
    "Owes",
    "PlayerActed",
    "PlayerPosted",
    "PlayerSetup",
    "PlayerStatus",
    "Positions",
    "PostKind",
    "PotLimit",
    "PotWon",
    "RaiseTo",
    "RakeTerms",
    "Stakes",
    "Street",
    "StreetOpened",
    "UncalledBetReturned",
    "UnknownName",
    "Variant",
    "apply",
    "card_text",
    "category",
    "deal",
    "fixed_limit_stakes",
    "hand_rank",
    "legal_actions",
    "missed_blinds",
    "parse_card",
    "parse_cards",
    "plan_hand",
    "start",
    "state_from_data",
    "state_to_data",
    "structure_named",
    "variant_named",
]
