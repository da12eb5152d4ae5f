from tests.voting.conftest import clients, pytest_generate_tests, server, servers
from tests.voting.page_fixtures import browser, event, organizer, other

__all__ = [
    "browser",
    "clients",
    "event",
    "organizer",
    "other",
    "pytest_generate_tests",
    "server",
    "servers",
]
