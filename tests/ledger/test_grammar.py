"""The table of transfers says which accounts a transfer may touch, in which direction, under which key."""

import re

import pytest

from pokerroom.ledger.grammar import GRAMMAR, parse

HEX = "0123456789abcdef0123456789abcdef"

EXAMPLES = [
    ("genesis", "genesis", {"issuer": -5, "bank": 5}),
    ("opening", "opening:7", {"bank": -5, "wallet:7": 5}),
    ("buy_in", f"buyin:{HEX}", {"wallet:7": -5, "stack:host:a:b:7": 5}),
    ("top_up", f"topup:{HEX}", {"wallet:7": -5, "stack:T1:7": 5}),
    ("top_up", "topup:T1:7:my key", {"wallet:7": -5, "stack:T1:7": 5}),
    ("cash_out", f"cashout:{HEX}", {"stack:T1:7": -5, "wallet:7": 5}),
    ("cash_out", f"cashout:{HEX}", {}),
    ("hand", "hand:h1", {"stack:T1:7": -5, "stack:T1:8": 2, "stack:T1:9": 3}),
    ("hand", "hand:h1", {}),
    ("entry", "sng:s.1:entry:7:2", {"wallet:7": -5, "escrow:s.1": 5}),
    ("late_entry", "sng:s.1:entry:7:2", {"wallet:7": -5, "escrow:s.1": 4, "fees": 1}),
    ("late_entry", "sng:s.1:entry:7:2", {"wallet:7": -5, "escrow:s.1": 2, "bounties:s.1": 2, "fees": 1}),
    ("overlay", "sng:s.1:overlay", {"bank": -5, "escrow:s.1": 5}),
    ("entry_return", "sng:s.1:return:7:2", {"wallet:7": 5, "escrow:s.1": -5}),
    ("fees", "sng:s.1:start", {"escrow:s.1": -5, "fees": 5}),
    ("fees", "sng:s.1:start", {}),
    ("prize", "sng:s.1:place:1", {"escrow:s.1": -5, "wallet:7": 5}),
    ("entry", "sng:s.1:entry:7:1", {"chips:a1:7": -5, "escrow:s.1": 5}),
    ("entry", "sng:s.1:entry:7:1", {}),  # of a free one
    ("entry_return", "sng:s.1:return:7:1", {"chips:a1:7": 5, "escrow:s.1": -5}),
    ("cancellation", "sng:s.1:cancel", {"escrow:s.1": -10, "chips:a1:7": 5, "chips:a1:8": 5}),
    ("prize", "sng:s.1:place:1", {"chips:a1:7": 5, "escrow:s.1": -5}),
    ("rebuy", "sng:s.1:rebuy:7:2", {"wallet:7": -5, "escrow:s.1": 4, "fees": 1}),
    ("add_on", "sng:s.1:add_on:7:1", {"wallet:7": -5, "escrow:s.1": 5}),
    ("late_entry", "sng:s.1:entry:7:1", {"tickets:7": -5, "escrow:s.1": 4, "fees": 1}),
    ("entry_return", "sng:s.1:return:7:1", {"escrow:s.1": -5, "tickets:7": 5}),
    ("prize", "sng:s.1:place:1", {"escrow:s.1": -5, "wallet:7": 1, "tickets:7": 4}),
    ("ticket", "ticket:7:c", {"source:desk": -5, "tickets:7": 5}),
    ("ticket_end", "ticket_end:7:3", {"tickets:7": -5, "wallet:7": 5}),
    ("ticket_end", "ticket_end:7:3", {"tickets:7": -5, "source:desk": 5}),
    ("bounty", "sng:s.1:bounty:9:1", {"bounties:s.1": -5, "wallet:7": 3, "wallet:8": 2}),
    ("bounty", "sng:s.1:bounty:9:1", {}),
    ("cancellation", "sng:s.1:cancel", {"escrow:s.1": -10, "wallet:7": 5, "wallet:8": 5}),
    ("cancellation", "sng:s.1:cancel", {"escrow:s.1": -10, "wallet:7": 5, "tickets:8": 5}),
    ("roll_back", "sng:s.1:roll_back", {"escrow:s.1": -9, "fees": -1, "wallet:7": 5, "wallet:8": 5}),
    ("meter_seed", "seed:U1:3", {"bank": -5, "meter:U1": 5}),
    ("place", f"place:{HEX}", {}),
    ("round_bets", "round:r1:bets", {"wallet:7": -5, "stakes:U1": 5, "bank": -9, "house:U1": 9}),
    ("round_play", "round:r1:play:2", {"wallet:7": -5, "stakes:U1": 5}),
    ("round_tip", "round:r1:tip:1:key", {"wallet:7": -5, "stakes:U1": 5}),
    ("round", "round:r1", {"wallet:7": 5, "stakes:U1": -7, "house:U1": 1, "meter:U1": -1, "tronc": 2}),
    ("round_void", "round:r1", {"wallet:7": 5, "stakes:U1": -7, "tronc": 2}),
    ("source_fund", "source:desk:first", {"bank": -5, "source:desk": 5}),
    ("deposit", "cash:7:k:end", {"source:desk": -5, "wallet:7": 5}),
    ("withdrawal", "cash:7:k", {"wallet:7": -5, "held": 5}),
    ("withdrawal_paid", "cash:7:k:end", {"held": -5, "source:desk": 5}),
    ("withdrawal_return", "cash:7:k:end", {"held": -5, "wallet:7": 5}),
    ("adjustment", "adjust:7:k", {"source:desk": 5, "wallet:7": -5}),
    ("buy_in", f"buyin:{HEX}", {"chips:a1:7": -5, "stack:host:a:b:7": 5}),
    ("top_up", f"topup:{HEX}", {"chips:a1:7": -5, "stack:host:a:b:7": 5}),
    ("cash_out", f"cashout:{HEX}", {"stack:host:a:b:7": -5, "chips:a1:7": 5}),
    ("club_issue", "club:a1:k", {"club:a1": -5, "chips:a1:7": 5}),
    ("club_take", "club:a1:left-1", {"club:a1": 5, "chips:a1:7": -5}),
    ("refill_terms", f"refill_terms:desk:500:2000:3600:{HEX}", {}),
    ("refill_terms", "refill_terms:none", {}),
    ("host", "host:host:a:7:1", {}),
    ("club_role", f"role:a1:7:manager:{HEX}", {}),
    ("gift", "gift:host:a:7:k", {"wallet:7": -5, "wallet:8": 5}),
    ("wallet_debit", "external:7:1", {"external": -5, "wallet:7": 5}),
    ("wallet_credit", "external:7:2", {"wallet:7": -5, "external": 5}),
]


@pytest.mark.parametrize(("kind", "key", "legs"), EXAMPLES)
def test_a_transfer_of_each_kind_is_allowed(kind, key, legs):
    """In the form in which the room books it."""
    assert parse(kind, key, legs, {"table": "T1"} if kind == "hand" else {}).differences == ()


def test_every_kind_of_the_schema_is_in_the_table():
    """A new kind needs a line of the grammar."""
    assert {kind for kind, _, _ in EXAMPLES} == GRAMMAR.keys()


@pytest.mark.parametrize(
    ("kind", "key", "legs", "sentence"),
    [
        ("bribe", "x", {}, "is of the unknown kind bribe"),
        ("opening", "opening:7x", {"bank": -5, "wallet:7": 5}, "has a key that no opening has"),
        ("opening", "opening:7", {"bank": -5, "wallet:8": 5}, "moves 5 of wallet:8"),
        ("opening", "opening:7", {"wallet:7": -5, "bank": 5}, "moves -5 of wallet:7"),
        ("opening", "opening:7", {}, "lacks a leg that a opening has"),
        ("cash_out", f"cashout:{HEX}", {"stack:T1:7": -5, "wallet:8": 5}, "moves 5 of wallet:8"),
        ("cash_out", f"cashout:{HEX}", {"bank": -5, "wallet:8": 5}, "moves -5 of bank"),
        ("hand", "hand:h1", {"stack:T2:7": -5, "stack:T1:8": 5}, "moves -5 of stack:T2:7"),
        ("hand", "hand:h2", {}, "has a key that names something else"),
        ("prize", "sng:s.1:place:1", {"escrow:s.2": -5, "wallet:7": 5}, "moves -5 of escrow:s.2"),
        ("prize", "sng:s.1:place:1", {"escrow:s.1": -5, "wallet:7": 4, "wallet:8": 1}, "moves 1 of wallet:8"),
        ("withdrawal", "cash:7:k", {"wallet:7": 5, "held": -5}, "moves 5 of wallet:7"),
    ],
)
def test_another_key_account_or_direction_is_named(kind, key, legs, sentence):
    """Each of them is a difference."""
    known = {"table": "T1", "hand": "h1"} if kind == "hand" else {}
    told = parse(kind, key, legs, known).differences
    assert re.match(re.escape(sentence), told[0])
    assert len(told) == 1 or not any(one.startswith("lacks") for one in told), (
        "what moves wrongly lacks nothing"
    )
