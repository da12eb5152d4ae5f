"""Reference of all environment variables, and the page generated from it.

`render` returns the text of `docs/generated/settings.md`. A test compares the table with what the code reads.
"""

from collections.abc import Iterable
from typing import NamedTuple

HEADER = """\
# Settings

<!-- Generated from crowdgame/server/config/environment.py by `manage.py generate_settings`. Do not edit. -->

All settings are environment variables. `make play` sets those marked with * itself. A server reads them from
`/etc/crowdgame/crowdgame.env`, `compose.yaml` from `.env`, Kubernetes from `deploy/kubernetes/settings.yaml`
and a secret. See [operations](../operations.md).

Every process stops at the first wrong setting, and says what to write. A switch is `1`, `true`, `yes` or
`on`, or `0`, `false`, `no` or `off`.
"""


class Variable(NamedTuple):
    """An environment variable. `default` describes the default; `make play` may set the variable itself."""

    name: str
    meaning: str
    default: str
    is_set_by_make_play: bool = False


VARIABLES: dict[str, tuple[Variable, ...]] = {
    "Addresses and security": (
        Variable(
            "SECRET_KEY",
            "Signs seats, sessions and links. Long, random and secret. See "
            "[changing it](../security.md#change-secret_key).",
            "required",
            is_set_by_make_play=True,
        ),
        Variable(
            "SECRET_KEY_FALLBACKS",
            "Earlier keys, separated by commas, whose signatures are still accepted.",
            "none",
        ),
        Variable(
            "PUBLIC_URL",
            "The server's public address, for links and QR codes: scheme and host, such as "
            "`https://play.example.org`, without a path. `https` enables secure cookies and HSTS.",
            "the address of each request; no e-mails, no login links",
            is_set_by_make_play=True,
        ),
        Variable(
            "ALLOWED_HOSTS",
            "Host names the server answers to, without scheme and port, separated by commas, besides the one "
            "in `PUBLIC_URL`. "
            "`ANY_ADDRESS` allows every IP address.",
            "none",
            is_set_by_make_play=True,
        ),
        Variable(
            "SIGNUP",
            "Who may create an organizer's account: `open` (anyone), `invitation` (holders of an invitation "
            "link) or `closed` (nobody).",
            "`invitation`",
        ),
        Variable(
            "HSTS_SECONDS",
            "Seconds for which browsers require HTTPS, if `PUBLIC_URL` is `https`.",
            "31536000 (a year)",
        ),
        Variable("DEBUG", "`1` shows error pages with source code. Never set it on a public server.", "off"),
    ),
    "Storage": (
        Variable(
            "DATABASE_URL",
            "PostgreSQL: `postgresql://USER:PASSWORD@HOST/NAME`. Options in its query override the defaults.",
            "SQLite in `CROWDGAME_DATA`",
        ),
        Variable(
            "DATABASE_POOL",
            "Maximum number of PostgreSQL connections per process; a gateway opens as many for pages.",
            "4",
        ),
        Variable(
            "REDIS_URL",
            "Valkey or Redis for the ballot box, the channel layer and Celery.",
            "`redis://127.0.0.1:6379/0`",
            is_set_by_make_play=True,
        ),
        Variable(
            "BALLOT_BOX_URL",
            "A separate store for ballots: `redis://…`, or a cluster as `redis+cluster://HOST:PORT,HOST:PORT`.",
            "`REDIS_URL`",
        ),
        Variable(
            "CROWDGAME_DATA",
            "Folder of the SQLite database and the static files.",
            "`.play`",
            is_set_by_make_play=True,
        ),
    ),
    "Gateways": (
        Variable("GATEWAY", "`daphne` or `uvicorn`.", "`daphne`", is_set_by_make_play=True),
        Variable(
            "TRUSTED_PROXIES",
            "Number of reverse proxies in front of gateways with `--proxied`. With 2, a client's address is "
            "the last but one in `X-Forwarded-For`.",
            "1",
        ),
        Variable(
            "EVENT_PHONES",
            "Maximum number of phones with a seat per event and gateway, and of those without. Others must "
            "retry later.",
            "20000",
        ),
        Variable(
            "CONSOLE_RECHECK_S",
            "Seconds after which an open console checks again that its organizer may see the event.",
            "15",
        ),
    ),
    "Duels, chat, webhooks and retention": (
        Variable(
            "WEBHOOKS",
            "Where webhooks and push notifications may go: `public` addresses, also `private` networks, or "
            "nowhere (`off`). "
            "`make play` starts no worker for them unless this is set.",
            "`public`",
            is_set_by_make_play=True,
        ),
        Variable(
            "PUSH_SERVICES",
            "Host names of browsers' push services, separated by commas. Notifications go nowhere else.",
            "those of Chrome, Edge, Firefox and Safari",
        ),
        Variable("CHAT", "`off` disables the chat of the lobby and of duels.", "on"),
        Variable(
            "TWITCH_CHAT_URL",
            "Server whose channels can vote: `ircs://HOST:PORT` with TLS, or `irc://HOST:PORT`.",
            "`ircs://irc.chat.twitch.tv:6697`",
        ),
        Variable("CHAT_DAYS", "Days until chat messages are deleted.", "30"),
        Variable(
            "RETENTION_DAYS",
            "Days after an event until its ballots are anonymized, and its tickets and audit log deleted.",
            "30",
        ),
        Variable(
            "DUEL_DAYS",
            "Days until duels that nobody joined, and guests without games, are deleted. Keep it over 30, "
            "because a game may wait that long.",
            "60",
        ),
    ),
    "Branding": (
        Variable("BRAND_LINE", "Sponsor line of events that have none of their own.", "none"),
        Variable(
            "BRAND_LOGO",
            "Logo of events that have none of their own: the path of a PNG, JPEG or WebP file, the same on "
            "every machine.",
            "none",
        ),
        Variable(
            "LOBBY_MUSIC",
            "Music that organizers can play in the lobby: the path of an audio file that browsers can play, "
            "the same on every machine. Displays load it completely, so a few minutes are best.",
            "none",
        ),
    ),
    "E-mail": (
        Variable(
            "EMAIL_URL",
            "Mail server: `smtp://USER:PASSWORD@HOST:587` (STARTTLS), `smtps://…` (TLS, port 465) or "
            "`smtp+plain://…` (unencrypted, port 25).",
            "no e-mail; nobody is asked for an address",
        ),
        Variable("MAIL_FROM", "Sender of e-mails.", "`crowdgame@` and the host in `PUBLIC_URL`"),
    ),
    "OpenID Connect": (
        Variable(
            "OIDC_URL",
            "Address of the provider through which organizers can log in, such as "
            "`https://login.example.org/realms/school`. The login page shows a button.",
            "none",
        ),
        Variable("OIDC_NAME", "Name of the provider on the button.", "the host in `OIDC_URL`"),
        Variable("OIDC_CLIENT_ID", "Id that the provider has given this server.", "none"),
        Variable("OIDC_CLIENT_SECRET", "Secret that the provider has given this server.", "none"),
        Variable(
            "OIDC_TRUST_EMAIL",
            "`true`: who logs in through the provider gets the existing account with the same address, if "
            "the provider has verified it. Only for providers whose users cannot choose addresses freely.",
            "`false`",
        ),
    ),
    "Logs and metrics": (
        Variable(
            "LOG_LEVEL",
            "Lowest level that is logged: `DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`.",
            "`INFO`",
        ),
        Variable("LOG_FORMAT", "`line`, or `json` for one object per record.", "`line`"),
        Variable(
            "METRICS_TOKEN",
            "Bearer token that allows other machines to read `/metrics`.",
            "none: only this machine can read it",
        ),
        Variable(
            "METRICS_PORT",
            "Port on which a worker, scheduler, analyzer or chat reader serves `/metrics` itself.",
            "none",
        ),
        Variable("METRICS_HOST", "Address for `METRICS_PORT`.", "`127.0.0.1`"),
        Variable(
            "PROMETHEUS_MULTIPROC_DIR",
            "Folder through which the processes on a machine share their metrics. Use one per container.",
            "each process has its own",
            is_set_by_make_play=True,
        ),
    ),
}


def render() -> str:
    """Return the whole page. The output is deterministic."""
    blocks = [HEADER.rstrip()]
    for title, variables in VARIABLES.items():
        blocks += [f"## {title}", render_table(variables)]
    return "\n\n".join(blocks) + "\n"


def render_table(variables: Iterable[Variable]) -> str:
    rows = (
        f"| `{one.name}`{' *' if one.is_set_by_make_play else ''} | {one.meaning} | {one.default} |"
        for one in variables
    )
    return "\n".join(["| variable | meaning | default |", "| --- | --- | --- |", *rows])
