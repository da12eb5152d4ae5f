"""What is to be run on servers, in containers and by Kubernetes holds together, and with the product."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.core.management import get_commands, load_command_class

from crowdgame.rehearsal.simulated_phone import CLOCK_EVERY_S
from deploy.laptop.network import LOOPBACK
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import Stack, valkey
from tests.machines import manifests
from tests.machines.manifests import KUBERNETES, SERVER, Process
from voting.metrics.metrics import CONNECTIONS

VERSION = "1.37"
AIR_S = 10
PYTHONS_OWN = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
OURS = manifests.ours()
DJANGOS = [process for process in OURS if process.argv[0] == "python"]  # Celery's is run in test_containers


@pytest.mark.parametrize(("file", "made"), manifests.manifests(), ids=str)
def test_kubernetes_understands_every_word(file: str, made: dict[str, Any]) -> None:
    kubernetes_validate.validate(made, VERSION, strict=True)


def test_the_kustomization_names_all_but_the_examples() -> None:
    named = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    lie_there = {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(named) == {name for name in lie_there if ".example." not in name}


@pytest.mark.parametrize("process", DJANGOS, ids=lambda process: f"{process.where}-{process.name}")
def test_every_command_is_one_of_ours_with_options_that_it_knows(process: Process) -> None:
    assert process.argv[:2] == ("python", "manage.py")
    command = load_command_class(get_commands()[process.argv[2]], process.argv[2])
    rest = [part.replace("%i", "8001") for part in process.argv[3:]]
    command.create_parser("manage.py", process.argv[2]).parse_args(rest)


@pytest.mark.parametrize("process", OURS, ids=lambda process: f"{process.where}-{process.name}")
def test_settings_that_are_given_are_read(process: Process) -> None:
    assert set(process.env) - PYTHONS_OWN <= manifests.settings_read()


def test_all_three_ways_run_the_same() -> None:
    """Apart from where a gateway listens."""
    by_role: dict[str, set[tuple[str, ...]]] = {}
    for process in OURS:
        argv = re.sub(r"--(host|port)\s\S+\s?", "", " ".join(process.argv)).replace("=", " ").split()
        by_role.setdefault(process.role, set()).add(tuple(argv))
    assert {role: len(ways) for role, ways in by_role.items() if role != "collectstatic"} == dict.fromkeys(
        ("gateway", "celery", "scheduler", "migrate"), 1
    )


def test_a_gateway_is_given_more_time_to_end_than_it_drains() -> None:
    gateways = [process for process in OURS if process.role == "gateway"]
    assert {process.where for process in gateways} >= {"compose.yaml", "kubernetes"}
    for gateway in gateways:
        assert gateway.ends_within_s >= float(gateway.option("--drain-s")) + AIR_S, gateway


def test_gateways_behind_a_proxy_believe_it() -> None:
    assert all("--proxied" in process.argv for process in OURS if process.role == "gateway")


def test_the_box_writes_as_the_laptops_does() -> None:
    """Every ballot to the disk before it is answered, and none thrown away."""
    pairs = (line.split(" ", 1) for line in (SERVER / "valkey.conf").read_text().splitlines())
    server = {line[0]: line[1] for line in pairs if len(line) == 2}
    argv = valkey(Stack(data=Path(".play/throwaway"), secret_key="", port=0)).argv[1:]
    laptop = dict(zip((name.removeprefix("--") for name in argv[::2]), argv[1::2], strict=True))
    for name in ("appendonly", "appendfsync", "no-appendfsync-on-rewrite", "maxmemory-policy"):
        assert server[name] == laptop[name], name
    assert server["save"].strip('"') == laptop["save"]


def test_the_box_knows_the_same_users_in_containers() -> None:
    content = manifests.compose()["configs"]["valkey.acl"]["content"]
    assert re.sub(r"\$\{[^}]*\}", "change-me", content) == (SERVER / "valkey.acl").read_text()


def test_nginx_waits_longer_than_a_phone_is_silent() -> None:
    nginx = (SERVER / "nginx.conf").read_text()
    read, send = re.findall(r"proxy_(?:read|send)_timeout (\d+)s;", nginx)
    assert min(int(read), int(send)) >= 2 * CLOCK_EVERY_S


# ------------------------------------------------------------------ containers
def test_what_compose_mounts_waits_for_and_keeps_is_there() -> None:
    made = manifests.compose()
    services = made["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            assert (ROOT / source).is_file() if source.startswith(".") else source in made["volumes"], mount
        assert name in {"migrate", "nginx"} or "healthcheck" in service, name


def test_compose_asks_the_gateways_where_they_listen() -> None:
    services = manifests.compose()["services"]
    upstreams = re.findall(r"server ([\w-]+):(\d+) ", services["nginx"]["environment"]["UPSTREAMS"])
    listening = [(p.name, p.option("--port")) for p in manifests.of_compose() if p.role == "gateway"]
    assert upstreams == listening
    for name, port in listening:
        assert f"{LOOPBACK}:{port}/healthz" in services[name]["healthcheck"]["test"][-1]


def test_the_image_copies_what_there_is() -> None:
    text = (ROOT / "deploy" / "container" / "Containerfile").read_text()
    copied = " ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)).split()
    assert copied
    ignored = (ROOT / "deploy" / "container" / "Containerfile.dockerignore").read_text()
    allowed = [*re.findall(r"^!(\S+)", ignored, re.MULTILINE)]
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source.startswith(tuple(allowed)), source


# ------------------------------------------------------------------ Kubernetes
def test_ports_have_the_names_by_which_they_are_asked() -> None:
    for name, pod in manifests.pods().items():
        for container in pod["containers"]:
            ports = {port["name"]: str(port["containerPort"]) for port in container.get("ports", [])}
            asked = [part["httpGet"]["port"] for key, part in container.items() if key.endswith("Probe")]
            assert set(asked) <= set(ports), name
            own = {one["name"]: one["value"] for one in container.get("env", [])}
            assert ports.get("metrics") == own.get("METRICS_PORT"), name


def test_services_policies_and_budgets_find_their_pods() -> None:
    labels = [
        made["spec"]["template"]["metadata"]["labels"] for made in manifests.objects("Deployment").values()
    ]
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy", "Deployment"):
        for name, made in manifests.objects(kind).items():
            selector = made["spec"].get("selector") or made["spec"].get("podSelector") or {}
            wanted = selector.get("matchLabels", selector if kind == "Service" else {})
            assert any(wanted.items() <= label.items() for label in labels), (kind, name)


def test_a_gateway_listens_where_its_service_sends_people() -> None:
    gateway = next(p for p in manifests.of_kubernetes() if p.name == "gateway")
    ports = manifests.pods()["gateway"]["containers"][0]["ports"]
    assert [str(port["containerPort"]) for port in ports] == [gateway.option("--port")]
    assert manifests.objects("Service")["gateway"]["spec"]["ports"][0]["targetPort"] == ports[0]["name"]


def test_gateways_are_scaled_by_a_figure_that_they_tell() -> None:
    scaler = manifests.objects("HorizontalPodAutoscaler")["gateway"]["spec"]
    by = {metric["type"]: metric for metric in scaler["metrics"]}
    assert by["Pods"]["pods"]["metric"]["name"] == CONNECTIONS._name
    assert by["Resource"]["resource"]["name"] == "cpu"
    rules = yaml.safe_load((KUBERNETES / "prometheus-adapter.example.yaml").read_text())["rules"]["custom"]
    assert [rule["name"]["as"] for rule in rules] == [CONNECTIONS._name]
    assert scaler["scaleTargetRef"]["name"] in manifests.objects("Deployment")
    assert "replicas" not in manifests.objects("Deployment")["gateway"]["spec"]


def test_what_strangers_must_not_see_leads_nowhere() -> None:
    rules = manifests.objects("Ingress")["crowdgame"]["spec"]["rules"]
    ways = {way["path"]: way["backend"]["service"]["name"] for rule in rules for way in rule["http"]["paths"]}
    assert ways == {"/metrics": "nowhere", "/readyz": "nowhere", "/": "gateway"}
    assert "selector" not in manifests.objects("Service")["nowhere"]["spec"]


def test_every_container_is_locked_up() -> None:
    for name, pod in manifests.pods().items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert not pod["automountServiceAccountToken"], name
        for container in pod["containers"]:
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
            assert container["securityContext"]["readOnlyRootFilesystem"], name
            assert {"memory"} <= set(container["resources"]["limits"]), name
