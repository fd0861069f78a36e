"""The parts of the contract that every adapter of the ledger passes; `contract_of_tournaments` is apart."""

from tests.ledger.contract import Contract
from tests.ledger.contract_of_account_history import HistoryAndSettings
from tests.ledger.contract_of_account_standing import Standing
from tests.ledger.contract_of_adjustments import Adjusting
from tests.ledger.contract_of_announcements import Announcing
from tests.ledger.contract_of_cashier import Cashing
from tests.ledger.contract_of_club_sit_and_gos import ClubSitAndGos
from tests.ledger.contract_of_clubs import Clubs
from tests.ledger.contract_of_credentials import Credentials
from tests.ledger.contract_of_day_reports import DayReports
from tests.ledger.contract_of_deletion import Deletion
from tests.ledger.contract_of_host_powers import HostPowers
from tests.ledger.contract_of_hosted_sit_and_gos import HostedSitAndGos
from tests.ledger.contract_of_hosted_tables import Hosting
from tests.ledger.contract_of_limits import Limits
from tests.ledger.contract_of_offers import Offering
from tests.ledger.contract_of_operated_clubs import OperatedClubs
from tests.ledger.contract_of_operator_log import OperatorsLog
from tests.ledger.contract_of_operator_wallet import OperatorWallets
from tests.ledger.contract_of_operators import Operators
from tests.ledger.contract_of_order_keys import OrderKeys
from tests.ledger.contract_of_ownership import Ownership
from tests.ledger.contract_of_player_notes import Noting
from tests.ledger.contract_of_rake import Raking
from tests.ledger.contract_of_round_ends import RoundEnds
from tests.ledger.contract_of_rounds import Rounds
from tests.ledger.contract_of_shared_hands import Sharing
from tests.ledger.contract_of_statistics import Statistics
from tests.ledger.contract_of_table_life import TableLife


class WholeContract(
    Ownership,
    Rounds,
    RoundEnds,
    TableLife,
    HistoryAndSettings,
    Cashing,
    Adjusting,
    Announcing,
    Credentials,
    DayReports,
    Limits,
    Standing,
    Statistics,
    Operators,
    OperatorsLog,
    OperatorWallets,
    Offering,
    OrderKeys,
    Deletion,
    Hosting,
    HostedSitAndGos,
    HostPowers,
    Clubs,
    ClubSitAndGos,
    OperatedClubs,
    Noting,
    Raking,
    Sharing,
    Contract,
):
    """The fixtures `ledger` and `later` come from the test of the adapter."""
