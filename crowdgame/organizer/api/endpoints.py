"""The operations of the API. The addresses, their checks and the OpenAPI document derive from this list."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from crowdgame.organizer.api import reads, schemas, webhook_operations, writes
from crowdgame.organizer.api.tokens import Scope
from voting.protocol import EventState

PAGING = {"after": "`after` of the page before", "limit": f"at most this many, up to {reads.MAX_PAGE}"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An operation at a path below /api/v1/, which needs the `scope`.

    `run` gets the token, the body (of a GET: the query), and the parts of the path. It returns an `answer`,
    or bytes of the type `media`. `query` has the arguments that a GET may have in its address.
    """

    method: str
    path: str
    name: str
    summary: str
    scope: Scope
    run: Callable[..., Any]
    answer: Any
    body: Any = None
    query: tuple[str, ...] = ()
    media: str = "application/json"


@cache
def endpoints() -> tuple[Endpoint, ...]:
    event, match = "events/<code:code>/", "events/<code:code>/matches/<int:number>/"
    webhooks, webhook = f"{event}webhooks/", f"{event}webhooks/<int:number>/"
    get = partial(Endpoint, "GET", scope="read")
    run = partial(Endpoint, "POST", scope="run")
    return (
        get(
            "events/",
            "listEvents",
            "List events, the newest first.",
            run=reads.list_events,
            answer=schemas.EventPage,
            query=tuple(PAGING),
        ),
        Endpoint(
            "POST",
            "events/",
            "createEvent",
            "Create an event.",
            "create",
            writes.create_event,
            EventState,
            schemas.new_event_body(),
        ),
        get(event, "readEvent", "Read what the screens show.", run=reads.read_event, answer=EventState),
        get(
            f"{event}matches/",
            "listMatches",
            "List an event's matches.",
            run=reads.list_matches,
            answer=list[schemas.MatchRow],
        ),
        get(
            match,
            "readMatch",
            "Read a match and its revealed turns.",
            run=reads.read_match,
            answer=schemas.Match,
        ),
        get(
            f"{match}analysis/",
            "readAnalysis",
            "Read the analysis of a match.",
            run=reads.read_analyses,
            answer=list[schemas.TurnAnalysis],
        ),
        get(
            f"{event}export.zip",
            "exportEvent",
            "Download the records and reports of all matches.",
            run=reads.export_event,
            answer=bytes,
            media="application/zip",
        ),
        get(
            "cups/",
            "listCups",
            "List your cups, the newest first.",
            run=reads.list_cups,
            answer=list[schemas.CupRow],
        ),
        get(
            "cups/<code:code>/",
            "readCup",
            "Read a cup: its teams and pairings.",
            run=reads.read_cup,
            answer=schemas.Cup,
        ),
        get(
            webhooks,
            "listWebhooks",
            "List your webhooks of an event.",
            run=webhook_operations.list_webhooks,
            answer=list[schemas.WebhookRow],
        ),
        run(
            webhooks,
            "addWebhook",
            "Add a webhook, which receives the changes of an event.",
            run=webhook_operations.add,
            answer=schemas.AddedWebhook,
            body=schemas.new_webhook_body(),
        ),
        Endpoint(
            "DELETE",
            webhook,
            "removeWebhook",
            "Remove a webhook.",
            "run",
            webhook_operations.remove,
            schemas.WebhookRow,
        ),
        get(
            f"{webhook}deliveries/",
            "listDeliveries",
            "List the latest messages to a webhook, the newest first.",
            run=webhook_operations.list_deliveries,
            answer=list[schemas.DeliveryRow],
        ),
        run(
            f"{webhook}resend/",
            "resendDelivery",
            "Send a message to a webhook again.",
            run=webhook_operations.resend_delivery,
            answer=schemas.DeliveryRow,
            body=schemas.Resend,
        ),
        *(
            Endpoint(
                "POST",
                f"{event}actions/{name}/",
                name,
                one.meaning,
                "run",
                partial(writes.act, action=name),
                EventState,
                schemas.action_body(one),
            )
            for name, one in schemas.offered_actions().items()
        ),
    )
