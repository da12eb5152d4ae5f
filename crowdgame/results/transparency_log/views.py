"""`/log/`: the transparency log as files (c2sp.org/tlog-tiles), proofs, and cosignatures of witnesses."""

from http import HTTPStatus

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from crowdgame.server.web.privacy import POLICY
from voting.models import LogWitness
from voting.transparency.accepted_witnesses import UnknownWitness, newest_cosigned, store_cosignatures
from voting.transparency.log import load_log, prove_entries, read_tile
from voting.transparency.merkle import InvalidProof
from voting.transparency.notes import InvalidNote
from voting.transparency.tiles import parse_tile_path

TEXT = "text/plain; charset=utf-8"
FRESH_S = 2
UNKNOWN_WITNESS = (
    "This server doesn't know the witness. Its operator accepts it with: crowdgame witnesses add VKEY\n"
)


def _serve(body: bytes | str, content_type: str = TEXT) -> HttpResponse:
    headers = {"Cache-Control": f"public, max-age={FRESH_S}", "Access-Control-Allow-Origin": "*"}
    return HttpResponse(body, content_type, headers=headers)


def _missing() -> HttpResponse:
    return HttpResponse("Not in the log.\n", TEXT, HTTPStatus.NOT_FOUND)


@require_safe
def log_page(request: HttpRequest) -> HttpResponse:
    """Show the size and key of the log, and how far each witness has cosigned it."""
    log = load_log()
    shown = {
        "size": log.checkpoint.size,
        "key": log.verifier_key,
        "witnesses": LogWitness.objects.order_by("pk"),
    }
    answer = render(request, "transparency_log.html", shown)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={FRESH_S}"
    return answer


@require_safe
def checkpoint(_request: HttpRequest) -> HttpResponse:
    """Serve the latest checkpoint, with the cosignatures on it."""
    log = load_log()
    return _serve(str(log.sign(log.checkpoint)))


@require_safe
def key(_request: HttpRequest) -> HttpResponse:
    """Serve the verifier key of the log."""
    return _serve(f"{load_log().verifier_key}\n")


@require_safe
def tile(_request: HttpRequest, path: str) -> HttpResponse:
    """Serve a tile of hashes or a bundle of entries. A restored backup may change it."""
    asked = parse_tile_path(path)
    content = read_tile(*asked) if asked else None
    return _missing() if content is None else _serve(content, "application/octet-stream")


@require_safe
def proof(_request: HttpRequest, turn: int) -> HttpResponse:
    """Serve the entries of a turn, each with a file that proves it (c2sp.org/tlog-proof)."""
    try:
        proofs = [{"entry": entry, "proof": str(proof)} for entry, proof in prove_entries([turn])]
    except InvalidProof:
        return _missing()
    return _serve(msgspec.json.encode(proofs), "application/json") if proofs else _missing()


@require_safe
def cosigned(_request: HttpRequest, key_id: str) -> HttpResponse:
    """Serve the newest checkpoint that the witness with this key id cosigned."""
    note = newest_cosigned(key_id)
    return _serve(str(note)) if note else _missing()


@csrf_exempt
@require_POST
def cosignatures(request: HttpRequest) -> HttpResponse:
    """Store a witness's cosignature, from a checkpoint that it cosigned."""
    try:
        store_cosignatures(request.body)
    except UnknownWitness:
        return HttpResponse(UNKNOWN_WITNESS, TEXT, HTTPStatus.FORBIDDEN)
    except InvalidNote as refusal:
        return HttpResponse(f"{refusal}\n", TEXT, HTTPStatus.BAD_REQUEST)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
