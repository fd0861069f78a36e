"""Not a test of the room: the workers run it to have the services of the session before they fork."""

from tests.mutants import statements


def test_services(request, services, ledger_template):
    """PostgreSQL and Redis run, and the ledger's template is made."""
    request.node.stash[statements.OWNER_URL] = services.owner_database_url
