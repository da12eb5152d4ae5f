"""All environment variables, and the reference generated from them.

`crowdgame.settings` reads them here. `render` returns the text of `docs/generated/settings.md`.
"""

from collections.abc import Iterable
from typing import Any

from crowdgame.server.config.variables import Variable, choice, number, switch, text, texts
from crowdgame.server.laptop.paths import DATA
from crowdgame.server.laptop.stack import SERVERS, Stack
from voting import terms

MAX_PORT = 65_535
MAX_DAYS = 36_500
HEADER = """\
# Settings

<!-- Generated from crowdgame/server/config/environment.py by `manage.py generate_settings`. Do not edit. -->

All settings are environment variables. `make play` sets those marked with * itself. A server reads them from
`/etc/crowdgame/crowdgame.env`, `compose.yaml` from `.env`, Kubernetes from `deploy/kubernetes/settings.yaml`
and a secret. See [operations](../operations.md).

Every process stops at the first wrong setting, and says what to write. A switch is `1`, `true`, `yes` or
`on`, or `0`, `false`, `no` or `off`.
"""


class Addresses:
    """Addresses and security."""

    SECRET_KEY = text(
        "Signs seats, sessions and links. Long, random and secret. See [changing "
        "it](../security.md#change-secret_key).",
        described="required",
    )
    SECRET_KEY_FALLBACKS = texts("Earlier keys, separated by commas, whose signatures are still accepted.")
    PUBLIC_URL = text(
        "The server's public address, for links and QR codes: scheme and host, such as "
        "`https://play.example.org`, without a path. `https` enables secure cookies and HSTS.",
        described="the address of each request; no e-mails, no login links",
    )
    ALLOWED_HOSTS = text(
        "Host names the server answers to, without scheme and port, separated by commas, besides the one in "
        "`PUBLIC_URL`. `ANY_ADDRESS` allows every IP address."
    )
    SIGNUP = choice(
        "Who may create an organizer's account: `open` (anyone), `invitation` (holders of an invitation "
        "link) or `closed` (nobody).",
        ("invitation", "open", "closed"),
    )
    HSTS_SECONDS = number(
        "Seconds for which browsers require HTTPS, if `PUBLIC_URL` is `https`.", 365 * 24 * 3600, least=0
    )
    DEBUG = switch("`1` shows error pages with source code. Never set it on a public server.")


class Storage:
    """Storage."""

    DATABASE_URL = text(
        "PostgreSQL: `postgresql://USER:PASSWORD@HOST/NAME`. Options in its query override the defaults.",
        described="SQLite in `CROWDGAME_DATA`",
    )
    DATABASE_POOL = number(
        "Maximum number of PostgreSQL connections per process; a gateway opens as many for pages.", 4
    )
    REDIS_URL = text(
        "Valkey or Redis for the ballot box, the channel layer and Celery.", "redis://127.0.0.1:6379/0"
    )
    BALLOT_BOX_URL = text(
        "A separate store for ballots: `redis://…`, or a cluster as `redis+cluster://HOST:PORT,HOST:PORT`.",
        described="`REDIS_URL`",
    )
    MAX_SHARDS = number(
        "Maximum number of [shards](../operations.md#valkey-or-redis) of an event. Raise it when all "
        "processes run this version and the ballots are in a cluster of so many nodes.",
        1,
        most=terms.MAX_SHARDS,
    )
    CROWDGAME_DATA = text("Folder of the SQLite database and the static files.", described="`.play`")


class Gateways:
    """Gateways."""

    GATEWAY = choice("`daphne` or `uvicorn`.", SERVERS)
    TRUSTED_PROXIES = number(
        "Number of reverse proxies in front of gateways with `--proxied`. With 2, a client's address is the "
        "last but one in `X-Forwarded-For`.",
        1,
        least=0,
    )
    EVENT_PHONES = number(
        "Maximum number of phones with a seat per event and gateway, and of those without. Others must "
        "retry later.",
        20_000,
    )
    OUTAGE_EXTENSION_S = number(
        "Maximum number of seconds by which a vote is extended if many phones lose their connection at once. "
        "0: never.",
        30,
        least=0,
    )
    CONSOLE_RECHECK_S = number(
        "Seconds after which an open console checks again that its organizer may see the event.", 15
    )


class Features:
    """Duels, chat, webhooks and retention."""

    WEBHOOKS = choice(
        "Where webhooks and push notifications may go: `public` addresses, also `private` networks, or "
        "nowhere (`off`). `make play` starts no worker for them unless this is set.",
        ("public", "private", "off"),
    )
    PUSH_SERVICES = text(
        "Host names of browsers' push services, separated by commas. Notifications go nowhere else.",
        described="those of Chrome, Edge, Firefox and Safari",
    )
    CHAT = switch("`off` disables the chat of the lobby and of duels.", default=True)
    TWITCH_CHAT_URL = text(
        "Server whose channels can vote: `ircs://HOST:PORT` with TLS, or `irc://HOST:PORT`.",
        "ircs://irc.chat.twitch.tv:6697",
    )
    CHAT_DAYS = number("Days until chat messages are deleted.", 30, most=MAX_DAYS)
    RETENTION_DAYS = number(
        "Days after an event until its ballots are anonymized, and its tickets and audit log deleted.",
        30,
        most=MAX_DAYS,
    )
    DUEL_DAYS = number(
        "Days until duels that nobody joined, and guests without games, are deleted. Keep it over 30, "
        "because a game may wait that long.",
        60,
        most=MAX_DAYS,
    )


class Branding:
    """Branding."""

    BRAND_LINE = text("Sponsor line of events that have none of their own.")
    BRAND_LOGO = text(
        "Logo of events that have none of their own: the path of a PNG, JPEG or WebP file, the same on "
        "every machine."
    )
    LOBBY_MUSIC = text(
        "Music that organizers can play in the lobby: the path of an audio file that browsers can play, the "
        "same on every machine. Displays load it completely, so a few minutes are best."
    )


class Mail:
    """E-mail."""

    EMAIL_URL = text(
        "Mail server: `smtp://USER:PASSWORD@HOST:587` (STARTTLS), `smtps://…` (TLS, port 465) or "
        "`smtp+plain://…` (unencrypted, port 25).",
        described="no e-mail; nobody is asked for an address",
    )
    MAIL_FROM = text("Sender of e-mails.", described="`crowdgame@` and the host in `PUBLIC_URL`")


class OpenId:
    """OpenID Connect."""

    OIDC_URL = text(
        "Address of the provider through which organizers can log in, such as "
        "`https://login.example.org/realms/school`. The login page shows a button."
    )
    OIDC_NAME = text("Name of the provider on the button.", described="the host in `OIDC_URL`")
    OIDC_CLIENT_ID = text("Id that the provider has given this server.")
    OIDC_CLIENT_SECRET = text("Secret that the provider has given this server.")
    OIDC_TRUST_EMAIL = switch(
        "`true`: who logs in through the provider gets the existing account with the same address, if the "
        "provider has verified it. Only for providers whose users cannot choose addresses freely."
    )


class Monitoring:
    """Logs and metrics."""

    LOG_LEVEL = choice(
        "Lowest level that is logged: `DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`.",
        ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL"),
    )
    LOG_FORMAT = choice("`line`, or `json` for one object per record.", ("line", "json"))
    METRICS_TOKEN = text(
        "Bearer token that allows other machines to read `/metrics`.",
        described="none: only this machine can read it",
    )
    METRICS_PORT = number(
        "Port on which a worker, scheduler, analyzer or chat reader serves `/metrics` itself.",
        0,
        least=0,
        most=MAX_PORT,
        described="none",
    )
    METRICS_HOST = text("Address for `METRICS_PORT`.", "127.0.0.1")
    PROMETHEUS_MULTIPROC_DIR = text(
        "Folder through which the processes on a machine share their metrics. Use one per container.",
        described="each process has its own",
    )


SECTIONS = (Addresses, Storage, Gateways, Features, Branding, Mail, OpenId, Monitoring)
VARIABLES: dict[str, list[Variable[Any]]] = {
    str(section.__doc__).rstrip("."): [one for one in vars(section).values() if isinstance(one, Variable)]
    for section in SECTIONS
}
SET_BY_PLAY = {name for name, value in Stack(DATA, "any", 8000).env.items() if value}


def render() -> str:
    """Return the whole page. The output is deterministic."""
    blocks = [HEADER.rstrip()]
    for title, variables in VARIABLES.items():
        blocks += [f"## {title}", render_table(variables)]
    return "\n\n".join(blocks) + "\n"


def render_table(variables: Iterable[Variable[Any]]) -> str:
    rows = (
        f"| `{one.name}`{' *' if one.name in SET_BY_PLAY else ''} | {one.meaning} | {one.default} |"
        for one in variables
    )
    return "\n".join(["| variable | meaning | default |", "| --- | --- | --- |", *rows])
