"""Guest accounts of earlier versions become users, with the same name and password."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps.registry import Apps
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from crowdgame.accounts.accounts import AccountError, name_key, rename
from crowdgame.accounts.models import Guest
from crowdgame.accounts.name_skeletons import name_skeleton
from voting.ballot_box.ballot_box import BallotBox

PASSWORD = "anchors-aweigh"
MONA = "M\u043ena L"  # with a Cyrillic letter, as accounts could have before look-alikes were refused


@pytest.fixture
def before_users(transactional_db: None) -> Iterator[Apps]:
    """Migrate back to the guests of the first release; the test migrates forward."""
    executor = MigrationExecutor(connection)
    executor.migrate([("accounts", "0001_initial")])
    yield executor.loader.project_state([("accounts", "0001_initial")]).apps
    migrate_accounts()


def migrate_accounts() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes("accounts"))


@pytest.mark.nightly
def test_migration_makes_accounts_users(before_users: Apps, box: BallotBox) -> None:
    """Names that look alike before skeletons were introduced keep their login, too."""
    names = ("", "Bob", "B0b", MONA, "Ada")
    User.objects.create_user("Ada", password="of-the-organizer")
    old: Any = before_users.get_model("accounts", "Guest")
    for number, name in enumerate(names):
        password, key = (make_password(PASSWORD), name_key(name)) if name else ("", None)
        old.objects.create(number=2000 + number, name=name, name_key=key, password=password)
    migrate_accounts()
    guests = list(Guest.objects.order_by("pk").select_related("user"))
    assert tuple(guest.name for guest in guests) == names
    assert [guest.name_skeleton for guest in guests] == [None, "bob", None, name_skeleton("Mona L"), "ada"]
    users = [guest.user and guest.user.username for guest in guests]
    assert users == [None, "bob", "b0b", name_key(MONA), "ada2004"]
    with pytest.raises(AccountError, match="taken"):
        rename(guests[2], "B\u043eb")
    rename(guests[2], "Robert")
    for name in ("Bob", "robert", MONA, "Ada 2004"):
        answer = Client().post("/play/login", {"login": name, "password": PASSWORD})
        assert answer["Location"] == "/play/"
