"""The exports of all events of an organization, as one zip file."""

from asyncio import Semaphore
from collections.abc import AsyncIterator
from zipfile import ZipFile

from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from crowdgame.events.access import organizer_page
from crowdgame.events.organization_views import require_organization
from crowdgame.organizer.api.reads import add_matches
from voting.models import Event

_turns = Semaphore(1)  # one event at a time, whoever exports: writing it takes seconds


@organizer_page
@require_safe
def export_organization(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Stream the export of one event after another. Raises Http404 if the user is no member."""
    events = Event.objects.filter(shared__organization=require_organization(request, pk)).order_by("pk")
    answer = StreamingHttpResponse(_stream(list(events)), content_type="application/zip")
    answer.headers["Content-Disposition"] = f'attachment; filename="organization-{pk}.zip"'
    return answer


async def _stream(events: list[Event]) -> AsyncIterator[bytes]:
    written = _Chunks()
    with ZipFile(written, "w") as archive:
        for event in events:
            async with _turns:
                await sync_to_async(add_matches)(archive, event)
            yield written.take()
    yield written.take()


class _Chunks:
    """A file that can only be written, and is empty after its content was taken."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._chunks.append(data)
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def take(self) -> bytes:
        taken, self._chunks = self._chunks, []
        return b"".join(taken)
