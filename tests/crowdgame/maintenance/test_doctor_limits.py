import pytest

from crowdgame.maintenance.doctor.event import capacity_findings, memory_findings
from crowdgame.maintenance.doctor.machine import nginx_findings
from crowdgame.maintenance.doctor.processes import role_findings
from crowdgame.maintenance.doctor.stores import clock_findings, encoding_findings, node_findings
from crowdgame.server.laptop.paths import ROOT


@pytest.mark.parametrize(("offset_s", "count"), [(0.9, 0), (-0.9, 0), (1.1, 1), (-60.0, 1)])
def test_doctor_reports_clock_over_a_second_off(offset_s: float, count: int) -> None:
    assert len(list(clock_findings("the store", offset_s))) == count


@pytest.mark.parametrize(
    ("encoding", "problems"), [("UTF8", []), ("SQL_ASCII", ["the encoding of the database is SQL_ASCII"])]
)
def test_doctor_refuses_a_database_that_is_not_in_utf_8(encoding: str, problems: list[str]) -> None:
    assert [finding.problem for finding in encoding_findings(encoding)] == problems


@pytest.mark.parametrize(
    ("offsets_s", "problems"),
    [
        ({"a": 0.5}, []),
        ({"a": 0.5, "b": 0.481, "c": 0.49}, []),
        ({"a": 0.011, "b": -0.011, "c": 0.0}, ["the clocks of b and a differ by 22 ms"]),
    ],
)
def test_doctor_refuses_nodes_whose_clocks_differ(offsets_s: dict[str, float], problems: list[str]) -> None:
    assert [finding.problem for finding in node_findings(offsets_s)] == problems


def test_doctor_checks_the_limits_of_nginx() -> None:
    supplied = (ROOT / "deploy" / "server" / "nginx.conf").read_text()
    assert list(nginx_findings(supplied)) == []
    stock = "events {\n    worker_connections 768;\n}\n"
    limits = [finding.problem.split()[0] for finding in nginx_findings(stock)]
    assert limits == ["worker_connections", "worker_rlimit_nofile"]


@pytest.mark.parametrize(
    ("people", "problems"),
    [
        (10_000, []),
        (10_001, ["running gateways: 2; needed for 10001 people, with a spare: 3"]),
        (19_600, ["running gateways: 2; needed for 19600 people, with a spare: 3"]),
        (19_601, ["the gateways on this machine have room for 19600 phones, but 19601 people", "running"]),
    ],
)
def test_doctor_compares_people_with_the_room_of_gateways(people: int, problems: list[str]) -> None:
    """Each may open 10,000 files. The worker's don't count."""
    files = [({"role": role, "pid": "1"}, 10_000.0) for role in ("gateway", "gateway", "worker")]
    found = [finding.problem for finding in capacity_findings(people, {"process_max_fds": files})]
    assert [problem[: len(start)] for problem, start in zip(found, problems, strict=True)] == problems


def test_doctor_cannot_see_gateways_elsewhere_but_compares_people_with_free_memory() -> None:
    [finding] = capacity_findings(1, {"process_max_fds": []})
    assert (finding.problem, finding.is_wrong) == ("the gateways are not visible from here", False)
    meminfo = "MemTotal: 9999999 kB\nMemAvailable:     36864 kB\n"
    assert list(memory_findings(1_024, meminfo)) == []
    [finding] = memory_findings(1_100, meminfo)
    assert finding.problem == "36 MiB of memory are free, but 1100 phones need 38"


@pytest.mark.parametrize(
    ("roles", "problems"),
    [
        ({"gateway"}, []),
        ({"gateway", "pages"}, ["no scheduler is running"]),
        ({"worker", "scheduler"}, ["no gateway is running"]),
        (set(), ["no gateway is running", "no scheduler is running"]),
    ],
)
def test_doctor_needs_schedulers_unless_only_gateways_run(roles: set[str], problems: list[str]) -> None:
    assert [finding.problem for finding in role_findings(roles) if finding.is_wrong] == problems
