"""Everything that an observer without access to the votes can see while a window is open."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import msgspec
from redis import Redis

from tests.deploy.processes import wait_until
from tests.monitoring.probes import ask, metric_samples, records
from tests.server import Server
from tests.socket_clients import TIMEOUT_S, SocketClient, SocketClients
from tests.voting.consoles import received_entries

# Values that differ between runs and reveal nothing: times, random numbers, tokens, ports.
RANDOM_VALUES = {
    r"\b1[78]\d{11}\b": "TIME",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,+:Z]*": "TIME",
    r"\b\d{4}-\d\d-\d\d\b": "DAY",
    r"\b\d\d:\d\d:\d\d\b": "TIME",
    r"[A-Z][a-z]+\.? \d{1,2}, \d{4}(, (\d{1,2}(:\d\d)? [ap]\.m\.|noon|midnight))?": "TIME",
    r"\d{1,2} [A-Z][a-z]+\.? \d{4}(,? (at )?(\d{1,2}(:\d\d)? ?[ap]\.m\.|\d\d:\d\d|noon|midnight))?": "TIME",
    r"\b[0-9a-f]{64}\b": "HASH",
    r"\b[0-9a-f]{32}\b": "RANDOM",
    r"127\.0\.0\.1:\d+": "HOST",
    r'(name="csrfmiddlewaretoken" value=")[^"]+': r"\1TOKEN",
    r'("csrfToken": ?")[^"]+': r"\1TOKEN",
    r'("display_key":")[^"]+': r"\1TOKEN",
    r'("token":")[^"]+': r"\1TOKEN",
    r'("offer":")[^"]+","team":[12]': r'\1TOKEN","team":ONE',
    r'("voter_code":")[A-Z]+': r"\1VOTER_CODE",
    r"\b[BCDFGHJKLMNPQRSTVWXZ]{6}\b": "VOTER_CODE",
    r'"qr":\[[^]]*\]': '"qr":[]',
    r'"team_qrs":\[\[[^]]*\],\[[^]]*\]\]': '"team_qrs":[]',
    r"\bpbkdf2_\S+|\bmd5\$\S+": "PASSWORD",
    r"[\d.]+ ms\b": "DURATION",
    r'((?:sealed|resolved|left)_ms(?:"|&quot;): ?)[\d.]+': r"\1DURATION",
    r'(?s)aria-label="From \d+ s.*?</svg>': "CHART OF ARRIVALS",
}
# Their number or order depends on the time; `Observers.received` returns them.
UNRELATED_MESSAGES = {
    *("turnout.counted", "team.counted", "counts.updated", "clock.synced", "audit.updated", "action.done")
}
# Which gateway answers is random, so their logs are merged.
LOGS = {
    "the gateways": ("gateway", "gateway-1", "gateway-2"),
    "the worker": ("worker",),
    "the schedulers": ("scheduler-1", "scheduler-2"),
}
PUBLIC = (
    *("/", "/{code}", "/display/{code}", "/record/{code}/1.json", "/report/{code}/1", "/report/{code}/1.csv"),
    *("/follow/{code}", "/privacy", "/healthz", "/console/"),
)
ADMIN_SKIPPED = re.compile(r"/(logout|login|delete|add|password|password_change|jsi18n|autocomplete)(/|$)")
BUSY = re.compile(r".*channel layer unavailable|no worker closed turn")
QUIET_S = 0.5
TIMED = re.compile(r"_(seconds(_sum|_bucket|_created)?|created)$")
UNSTABLE_METRICS = {
    "crowdgame_loop_lag_seconds_count",
    "crowdgame_broadcast_seconds_count",
    "crowdgame_relay_lag_seconds_count",  # two relays at the same moment send a message twice
}


def mask_chance(text: str, code: str) -> str:
    for pattern, instead in RANDOM_VALUES.items():
        text = re.sub(pattern, instead, text)
    text = re.sub(r'class="([^"]*)"', lambda found: f'class="{" ".join(sorted(found[1].split()))}"', text)
    return text.replace(code, "CODE").replace(code.lower(), "code")


def masked_metrics(server: Server) -> dict[str, float]:
    """Sums over all processes, without durations and unsteady metrics."""
    values: dict[str, float] = {}
    for sample in metric_samples(server):
        if sample.name.startswith("process_") or TIMED.search(sample.name) or sample.name in UNSTABLE_METRICS:
            continue
        labels = {name: value for name, value in sample.labels.items() if name != "pid"}
        key = f"{sample.name} {sorted(labels.items())}"
        values[key] = values.get(key, 0) + sample.value
    return {key: value for key, value in values.items() if not key.startswith("crowdgame_connections")}


@dataclass
class Observers:
    """Observers that don't vote."""

    server: Server
    code: str
    cookie: str
    layer_pubsub: Any
    clients: dict[str, SocketClient]
    layer: list[bytes] = field(default_factory=list)
    raw_output: dict[str, str] = field(default_factory=dict)

    def frames(self) -> dict[str, list[str]]:
        """The frames that each socket has received, without turnout and clock answers."""
        frames = {}
        for name, client in self.clients.items():
            client.say("clock.ask", sent=1).receive("clock.synced")
            received = zip(client.frames, client.received, strict=True)
            frames[name] = [frame for frame, message in received if message["type"] not in UNRELATED_MESSAGES]
        return frames

    def receive(self, kind: str) -> dict[str, Any]:
        """The next announcement of this kind, once every watcher has received it."""
        return [client.receive(kind) for client in self.clients.values()][-1]

    def received(self, *kinds: str) -> list[dict[str, Any]]:
        """All messages of these kinds that any watcher has received."""
        received = (message for client in self.clients.values() for message in client.received)
        return [message for message in received if message["type"] in kinds]

    def observe(self) -> dict[str, str]:
        """Everything visible, by observer, with random and time-dependent values masked."""
        seen = {name: "\n".join(frames) for name, frames in self.frames().items()}
        seen |= {f"size of the frames of {name}": str([*map(len, f)]) for name, f in self.frames().items()}
        seen["audit log of the console"] = self._audit_log()
        seen |= {f"page {path}": self._page(path) for path in PUBLIC}
        seen |= {f"admin {path}": page for path, page in self._admin().items()}
        seen |= {f"log of {name}": self._log(*parts) for name, parts in LOGS.items()}
        seen["channel layer"] = self._read_channel_layer()
        seen["metric_samples"] = json.dumps(masked_metrics(self.server), indent=0, sort_keys=True)
        outbox = self.server.rows("SELECT event_id, seq, body FROM voting_announcement ORDER BY id")
        seen["outbox"] = "\n".join(f"{event} {seq} {bytes(body).decode()}" for event, seq, body in outbox)
        self.raw_output = seen
        return {name: mask_chance(text, self.code) for name, text in seen.items()}

    def _audit_log(self) -> str:
        """Every entry once. Consoles receive it again when their gateway learns that it can be undone."""
        ((logged,),) = self.server.rows("SELECT COUNT(*) FROM events_auditentry")
        entries = received_entries(self.clients["the console"], logged)
        return "\n".join(json.dumps(entry | {"undo": "", "undone": ""}) for entry in entries)

    def _read_channel_layer(self) -> str:
        """Each message once, after the outbox is empty."""
        unsent = "SELECT id FROM voting_announcement WHERE sent_at IS NULL"
        wait_until(lambda: not self.server.rows(unsent), TIMEOUT_S)
        while message := self.layer_pubsub.get_message(timeout=QUIET_S):
            if message["type"] == "pmessage":
                self.layer.append(message["data"])
        return "\n".join(dict.fromkeys(repr(msgspec.msgpack.decode(message)) for message in self.layer))

    def _page(self, path: str) -> str:
        reply = ask(self.server, path.format(code=self.code))
        return f"{reply.status} {reply.body.decode(errors='replace')}"

    def _log(self, *parts: str) -> str:
        """In order, since that could reveal something. Without what depends on how busy the machine is."""
        entries = [record for part in parts for record in records(self.server, part)]
        entries.sort(key=itemgetter("time"))
        kept = (entry for entry in entries if not BUSY.match(str(entry["message"])))
        return "\n".join(json.dumps(entry | {"time": ""}) for entry in kept)

    def _admin(self) -> dict[str, str]:
        """Every admin page that a superuser can reach by links."""
        seen: dict[str, str] = {}
        waiting = ["/admin/"]
        while waiting:
            path = waiting.pop()
            reply = ask(self.server, path, {"Cookie": self.cookie})
            text = reply.body.decode()
            assert reply.status == 200, (path, reply.status)
            seen[path] = text
            links = {*re.findall(r'<a [^>]*href="(/admin/[^"?#]*)', text)} - seen.keys() - set(waiting)
            waiting += sorted(link for link in links if not ADMIN_SKIPPED.search(link))
        return seen

    def admin_status(self, query: str) -> int:
        return ask(self.server, query, {"Cookie": self.cookie}).status


@contextmanager
def watchers(server: Server, clients: SocketClients, code: str) -> Iterator[Observers]:
    """A phone of each team, one without a seat, a projector, a console and a channel-layer subscriber."""
    owner, everything = server.ask("session", name="olga"), server.ask("session", name="root", superuser=True)
    with Redis.from_url(server.stack.redis) as redis, redis.pubsub() as layer_pubsub:
        layer_pubsub.psubscribe("*")
        unseated, console = clients.open("phone"), clients.console(code, owner)
        unseated.say("phone.join", code=code).receive("error", code="team_needed")
        console.receive("console.welcomed")
        watching = {
            "a phone of team 1": clients.phone(code, team=1)[0],
            "a phone of team 2": clients.phone(code, team=2)[0],
            "a phone without a seat": unseated,
            "the projector": clients.display(code)[0],
            "the console": console,
        }
        yield Observers(server, code, everything, layer_pubsub, watching)
