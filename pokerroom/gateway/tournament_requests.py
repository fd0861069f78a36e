"""Answers what clients ask of tournaments, outside of their tables. Knows no connection and no registrations."""

from __future__ import annotations

from msgspec import structs

from pokerroom.gateway.counted_attempts import store_key
from pokerroom.tournament.registration import RegistrationService
from pokerroom.tournament.scheduled import ScheduledTournaments
from pokerroom_protocol import messages as wire


async def listed(
    registration: RegistrationService,
    scheduled: ScheduledTournaments,
    message: wire.ListSitAndGos | wire.ListTournaments,
    account: int | None,
) -> wire.Answer:
    """Answer a client that need not be logged in."""
    if isinstance(message, wire.ListSitAndGos):
        return wire.SitAndGos(re=message.id, sit_and_gos=await registration.rows(account))
    return wire.Tournaments(re=message.id, tournaments=await scheduled.rows(account))


async def entered(
    scheduled: ScheduledTournaments,
    message: wire.ChipSaleMessage | wire.EntryMessage,
    account: int,
    address_group: str,
) -> wire.Answer:
    """Answer an account at an address, as `answered` does."""
    match message:
        case wire.RegisterTournament():
            entry = await scheduled.register(account, message.tournament, _store_key(address_group))
            return structs.replace(entry, re=message.id)
        case wire.UnregisterTournament():
            await scheduled.unregister(account, message.tournament)
            return wire.Ok(re=message.id)
        case wire.GetTickets():
            return wire.Tickets(re=message.id, tickets=await scheduled.tickets(account))
        case wire.BuyRebuy():
            return structs.replace(
                await scheduled.buy(account, message.tournament, "rebuy", message.number), re=message.id
            )
        case wire.BuyAddOn():
            return structs.replace(
                await scheduled.buy(account, message.tournament, "add_on", 1), re=message.id
            )
        case wire.DeclineRebuy():
            await scheduled.decline_rebuy(account, message.tournament)
            return wire.Ok(re=message.id)


async def answered(
    registration: RegistrationService,
    message: wire.RegisterSng | wire.UnregisterSng | wire.GetStandings,
    account: int,
    address_group: str,
) -> wire.Answer:
    """Answer an account at an address, which is empty where it does not count (`AddressPolicy.group_of`).

    Fails with a `LedgerRefusal`, and with the errors of services that are unavailable.
    """
    match message:
        case wire.RegisterSng():
            address = _store_key(address_group)
            offer = registration.offers.get(message.offer)
            registered = await registration.register(account, message.offer, message.since, address=address)
            return wire.SngRegistered(
                re=message.id,
                offer=message.offer,
                tournament=registered.tournament,
                buy_in=0 if offer is None else offer.buy_in,
            )
        case wire.UnregisterSng():
            await registration.unregister(account, message.offer)
            return wire.Ok(re=message.id)
        case wire.GetStandings():
            return await registration.standings(message)


def _store_key(address_group: str) -> str:
    return store_key(address_group) if address_group else ""
