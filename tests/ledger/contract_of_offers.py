"""The part of every ledger's contract about offers that operators order. `Offering` is mixed into `Contract`."""

from dataclasses import replace

from pokerroom.ledger.offers import OfferChange
from pokerroom.ledger.operator_log import Acting, LogQuery

ANN = Acting(who="ann", role="admin", reason="the season", address="")
SIX = OfferChange(
    offer="six", standing="offered", kind="sit_and_go", terms='{"seats":6}', before='{"seats":9}'
)


class Offering:
    """The last change holds, and all of them stay."""

    def test_the_last_change_of_each_offer_holds(self, run, ledger):
        """By offer; the history has all changes with who and why, the latest first, in pages."""
        first = run(ledger.change_offer(SIX, by=ANN))
        run(ledger.change_offer(replace(SIX, offer="daily", kind="tournament", before=None), by=ANN))
        retired = replace(SIX, standing="retired", terms=None, before=SIX.terms)
        last = run(ledger.change_offer(retired, by=replace(ANN, who="bob")))
        assert [row.change.offer for row in run(ledger.offers())] == ["daily", "six"]
        assert run(ledger.offers())[1] == last
        assert run(ledger.offer_history("six", None, 9)) == [last, first]
        assert run(ledger.offer_history("six", None, 1)) == [last]
        assert run(ledger.offer_history("six", last.number, 9)) == [first]
        assert (first.change, first.who, first.reason) == (SIX, "ann", "the season")
        assert (last.change, last.who) == (retired, "bob")
        assert run(ledger.offer_history("none", None, 9)) == []

    def test_private_tables_are_offered_as_tournaments_are(self, run, ledger):
        """Which tables players may open has its changes and its history."""
        offer = OfferChange(
            offer="private_tables", standing="offered", kind="private_tables", terms='{"seats_max":4}'
        )
        row = run(ledger.change_offer(offer, by=ANN))
        assert (row.change, run(ledger.offers())) == (offer, [row])
        assert run(ledger.offer_history("private_tables", None, 9)) == [row]

    def test_what_holds_already_is_not_stored_again(self, run, ledger):
        """A repeated order has no row and no line."""
        first = run(ledger.change_offer(SIX, by=ANN))
        assert run(ledger.change_offer(replace(SIX, before=SIX.terms), by=ANN)) == first
        assert len(run(ledger.log_lines(LogQuery()))) == 1
        back = run(ledger.change_offer(replace(SIX, standing="settings", terms=None), by=ANN))
        again = run(ledger.change_offer(SIX, by=ANN))
        assert first.number < back.number < again.number
