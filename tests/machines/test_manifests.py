import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver

from crowdgame.rehearsal.simulated_phone import QUIET_S
from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import Stack, valkey
from crowdgame.server.serving.request_limits import MAX_UPLOAD_BYTES
from tests.machines import manifests
from tests.machines.manifests import KUBERNETES, SERVER, Process
from voting.metrics.metrics import CONNECTIONS

DEPLOYMENTS = (manifests.systemd_processes, manifests.compose_processes, manifests.kubernetes_processes)
OURS = [one for deployed in DEPLOYMENTS for one in deployed() if one.argv[0] in {"crowdgame", "celery"}]


@pytest.mark.parametrize(("file", "made"), manifests.manifests(), ids=str)
def test_kubernetes_manifest_is_valid(file: str, made: dict[str, Any]) -> None:
    kubernetes_validate.validate(made, "1.37", strict=True)


def test_kustomization_lists_all_files_but_examples() -> None:
    named = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    existing = {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(named) == {name for name in existing if ".example." not in name}


@pytest.mark.parametrize("process", OURS, ids=lambda process: f"{process.where}-{process.name}")
def test_manifest_commands_and_settings_exist(process: Process) -> None:
    if process.argv[0] == "crowdgame":  # test_containers runs Celery
        name, *rest = (part.replace("%i", "8001") for part in process.argv[1:])
        load_command_class(get_commands()[name], name).create_parser("crowdgame", name).parse_args(rest)
    of_units = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "GATEWAY_ADDRESS"}
    assert set(process.env) - of_units <= manifests.settings_read()


def test_manifests_run_the_same_commands() -> None:
    """Except for the gateway's host and port, and that one serves pages only."""
    by_role: dict[str, set[tuple[str, ...]]] = {}
    for process in OURS:
        argv = re.sub(r"--(pages|(host|port)\s\S+)\s?", "", " ".join(process.argv)).replace("=", " ").split()
        by_role.setdefault(process.role, set()).add(tuple(argv))
    assert {role: len(ways) for role, ways in by_role.items() if role != "collectstatic"} == dict.fromkeys(
        ("gateway", "celery", "background", "webhooks", "scheduler", "analyzer", "chatreader", "migrate"), 1
    )


def test_gateways_without_phones_do_not_count_as_gateways() -> None:
    apart = [process.name for process in OURS if "--pages" in process.argv]
    assert apart == [process.name for process in OURS if process.name in {"pages", "crowdgame-pages"}]
    assert len(apart) == len(DEPLOYMENTS)


def test_each_queue_has_a_worker_of_its_own() -> None:
    for deployed in DEPLOYMENTS:
        queues = [process.role for process in deployed() if process.argv[0] == "celery"]
        assert sorted(queues) == sorted(settings.CELERY_TASK_QUEUES), deployed


def test_manifest_gateways_trust_the_proxy_and_have_time_to_drain() -> None:
    gateways = [process for process in OURS if process.role == "gateway"]
    assert {process.where for process in gateways} >= {"compose.yaml", "kubernetes"}
    for gateway in gateways:
        assert "--proxied" in gateway.argv, gateway
        assert gateway.ends_within_s >= float(gateway.option("--drain-s")) + 10, gateway


def test_server_valkey_persists_like_laptop_valkey() -> None:
    """Every ballot is written to disk before it is acknowledged, and none is evicted."""
    pairs = (line.split(" ", 1) for line in (SERVER / "valkey.conf").read_text().splitlines())
    server = {line[0]: line[1] for line in pairs if len(line) == 2}
    argv = valkey(Stack(data=Path(".play/throwaway"), secret_key="", port=0)).argv[1:]
    laptop = dict(zip((name.removeprefix("--") for name in argv[::2]), argv[1::2], strict=True))
    for name in ("appendonly", "appendfsync", "no-appendfsync-on-rewrite", "maxmemory-policy"):
        assert server[name] == laptop[name], name
    assert server["save"].strip('"') == laptop["save"]


def test_compose_valkey_acl_matches_server_acl() -> None:
    content = manifests.compose()["configs"]["valkey.acl"]["content"]
    assert re.sub(r"\$\{[^}]*\}", "change-me", content) == (SERVER / "valkey.acl").read_text()


def test_nginx_waits_for_phones_and_accepts_the_largest_request_body() -> None:
    nginx = (SERVER / "nginx.conf").read_text()
    timeouts = [int(seconds) for seconds in re.findall(r"proxy_(?:read|send)_timeout (\d+)s;", nginx)]
    assert (len(timeouts), min(timeouts) >= 2 * QUIET_S) == (2, True)
    [size] = re.findall(r"client_max_body_size (\d+)m;", nginx)
    assert int(size) << 20 == MAX_UPLOAD_BYTES


def test_pages_of_django_are_routed_apart_from_phones_and_internal_paths_nowhere() -> None:
    """Except for records, whose seals all phones request."""
    served = {str(entry.pattern).removeprefix("^").split("/")[0] for entry in all_patterns()} - {"record"}
    [listed] = re.findall(r"location ~ \^/\(([\w|]+)\)", (SERVER / "nginx.conf").read_text())
    assert sorted(listed.split("|")) == sorted(served - {"verify.py"})
    [rule] = manifests.objects("Ingress")["crowdgame"]["spec"]["rules"]
    routed = {one["path"]: one["backend"]["service"]["name"] for one in rule["http"]["paths"]}
    assert [path[1:] for path, service in routed.items() if service == "pages"] == listed.split("|")
    assert [path for path, service in routed.items() if service == "gateway"] == ["/"]
    assert {path for path, service in routed.items() if service == "blocked"} == {"/metrics", "/readyz"}
    assert "selector" not in manifests.objects("Service")["blocked"]["spec"]


def all_patterns() -> Iterator[URLPattern | URLResolver]:
    """The URL patterns of the first level that name a path."""
    for entry in get_resolver().url_patterns:
        if isinstance(entry, URLResolver) and not str(entry.pattern):
            yield from entry.url_patterns
        else:
            yield entry


# ------------------------------------------------------------------ containers
def test_compose_services_have_what_they_name_health_checks_and_limits() -> None:
    """The memory of ours is limited like that of the pods in Kubernetes."""
    units = {"k": "Ki", "m": "Mi", "g": "Gi"}
    made = manifests.compose()
    services = made["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            assert (ROOT / source).is_file() if source.startswith(".") else source in made["volumes"], mount
        assert name in {"migrate", "nginx"} or "healthcheck" in service, name
        assert {"max-size", "max-file"} <= service["logging"]["options"].keys(), name
        assert service["mem_limit"], name
        assert ("env_file" in service) == (service["image"] == "crowdgame"), name
    for name, pod in manifests.pods().items():
        limit = services.get(name, services.get(f"{name}-1"))["mem_limit"]
        [container] = pod["containers"]
        assert container["resources"]["limits"]["memory"] == limit[:-1] + units[limit[-1]], name


def test_compose_uses_the_gateway_ports() -> None:
    services = manifests.compose()["services"]
    named = {
        name: re.findall(r"server ([\w-]+):(\d+) ", services["nginx"]["environment"][name])
        for name in ("UPSTREAMS", "PAGES")
    }
    listening = [(p.name, p.option("--port")) for p in manifests.compose_processes() if p.role == "gateway"]
    assert [*named["UPSTREAMS"], named["PAGES"][0]] == listening
    assert named["PAGES"][1:] == named["UPSTREAMS"]
    for name, port in listening:
        assert f"{LOOPBACK}:{port}/healthz" in services[name]["healthcheck"]["test"][-1]


# ------------------------------------------------------------------ Kubernetes
def test_kubernetes_probes_and_service_use_named_ports() -> None:
    for name, pod in manifests.pods().items():
        for container in pod["containers"]:
            ports = {port["name"]: str(port["containerPort"]) for port in container.get("ports", [])}
            probed = [part["httpGet"]["port"] for key, part in container.items() if key.endswith("Probe")]
            assert set(probed) <= set(ports), name
            own = {variable["name"]: variable["value"] for variable in container.get("env", [])}
            assert ports.get("metrics") == own.get("METRICS_PORT"), name
    monitor = yaml.safe_load((KUBERNETES / "monitoring.example.yaml").read_text())["spec"]
    assert {one["interval"] for one in monitor["podMetricsEndpoints"]} == {"5s"}, "the alerts need it"
    gateway = next(p for p in manifests.kubernetes_processes() if p.name == "gateway")
    [port] = manifests.pods()["gateway"]["containers"][0]["ports"]
    assert str(port["containerPort"]) == gateway.option("--port")
    assert manifests.objects("Service")["gateway"]["spec"]["ports"][0]["targetPort"] == port["name"]


def test_kubernetes_selectors_match_pods() -> None:
    deployments = manifests.objects("Deployment").values()
    labels = [made["spec"]["template"]["metadata"]["labels"] for made in deployments]
    for kind in ("Service", "PodDisruptionBudget", "NetworkPolicy", "Deployment"):
        for name, made in manifests.objects(kind).items():
            selector = made["spec"].get("selector") or made["spec"].get("podSelector") or {}
            wanted = selector.get("matchLabels", selector if kind == "Service" else {})
            assert any(wanted.items() <= label.items() for label in labels), (kind, name)


def test_network_policies_select_only_own_pods() -> None:
    """A store in the same namespace stays reachable."""
    workloads = [*manifests.objects("Deployment").values(), *manifests.objects("Job").values()]
    templates = [one["spec"]["template"]["metadata"]["labels"] for one in workloads]
    own = {labels["app.kubernetes.io/name"] for labels in templates}
    for name, made in manifests.objects("NetworkPolicy").items():
        selector = made["spec"]["podSelector"]
        rules = [(one["key"], one["operator"], one["values"]) for one in selector.get("matchExpressions", [])]
        labels = selector.get("matchLabels", {}).items()
        ((key, operator, values),) = rules or [(key, "In", [value]) for key, value in labels]
        assert (key, operator) == ("app.kubernetes.io/name", "In"), name
        assert set(values) <= own, name


def test_kubernetes_autoscaler_uses_exported_metric() -> None:
    scaler = manifests.objects("HorizontalPodAutoscaler")["gateway"]["spec"]
    by = {metric["type"]: metric for metric in scaler["metrics"]}
    assert by["Pods"]["pods"]["metric"]["name"] == CONNECTIONS._name
    assert by["Resource"]["resource"]["name"] == "cpu"
    rules = yaml.safe_load((KUBERNETES / "prometheus-adapter.example.yaml").read_text())["rules"]["custom"]
    assert [rule["name"]["as"] for rule in rules] == [CONNECTIONS._name]
    assert scaler["scaleTargetRef"]["name"] in manifests.objects("Deployment")
    assert "replicas" not in manifests.objects("Deployment")["gateway"]["spec"]


def test_kubernetes_containers_are_restricted() -> None:
    for name, pod in manifests.pods().items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert not pod["automountServiceAccountToken"], name
        for container in pod["containers"]:
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
            assert container["securityContext"]["readOnlyRootFilesystem"], name
            assert {"memory"} <= set(container["resources"]["limits"]), name
        mounts = {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts", [])}
        if name in {"gateway", "worker", "background", "webhooks"}:  # they write temporary files
            volumes = {volume["name"] for volume in pod["volumes"] if "emptyDir" in volume}
            assert mounts["/tmp"] in volumes, name  # noqa: S108
