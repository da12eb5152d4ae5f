"""An event on SQLite is lost midway, with or without its files, and continues from a backup."""

import shutil
from collections.abc import Iterator

import pytest

from tests.restore_helpers import Lost, RestoredEvent, RestoreTests, lose_event, restored_event

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Lost:
    return lose_event(tmp_path_factory.mktemp("lost"), "")


@pytest.fixture(scope="module", params=[True, False], ids=["disk lost", "disk kept"])
def restored(
    request: pytest.FixtureRequest, lost: Lost, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestoredEvent]:
    copy = lost.copied(tmp_path_factory.mktemp("restore") / "data", "")
    data, options = copy.stack.data, list[str]()
    assert (data / "db.sqlite3").exists()
    if request.param:  # the secret key is in the environment
        for path in [*data.glob("db.sqlite3*")]:
            path.unlink()
        shutil.rmtree(data / "valkey")
        options = ["--box-is-empty"]
    with restored_event(copy, *options) as restored:
        yield restored


class TestOnSqlite(RestoreTests):
    def test_restore_keeps_replaced_files_beside_new_ones(self, restored: RestoredEvent) -> None:
        data = restored.server.stack.data
        kept = [path.name[:14] for path in data.glob("*before-restore-*")]
        assert sorted(kept) in ([], ["before-restore", "valkey-before-"])
