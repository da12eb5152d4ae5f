"""The OpenAPI document of the API."""

import re
from functools import cache
from typing import Any

import msgspec

from crowdgame.organizer.api.endpoints import PAGING, Endpoint, endpoints
from crowdgame.organizer.api.schemas import Refusal

VERSION = "1"
PART = re.compile(r"<(\w+):(\w+)>")
PART_TYPES = {"code": "string", "int": "integer"}
REFUSALS = {
    "400": "The request is malformed",
    "401": "The token is missing, unknown, expired or revoked",
    "403": "The token or its user may not do this",
    "404": "There is no such thing, or the token gives no access to it",
    "409": "Not possible now",
    "422": "The event can't have these settings",
    "429": "Too many requests; `Retry-After` says in how many seconds to try again",
}


@cache
def openapi() -> bytes:
    """The document as JSON."""
    known = endpoints()
    used = [kind for one in known for kind in (one.answer, one.body) if kind not in (None, bytes)]
    schemas, components = msgspec.json.schema_components(
        [*used, Refusal], ref_template="#/components/schemas/{name}"
    )
    schema_of = {id(kind): schema for kind, schema in zip([*used, Refusal], schemas, strict=True)}
    paths: dict[str, Any] = {}
    for one in known:
        operations = paths.setdefault("/" + PART.sub(r"{\2}", one.path), {})
        operations[one.method.lower()] = _operation(one, schema_of)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "Crowdgame", "version": VERSION},
            "servers": [{"url": "/api/v1"}],
            "security": [{"token": []}],
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
                "responses": {
                    status: {
                        "description": text,
                        "content": {"application/problem+json": {"schema": schema_of[id(Refusal)]}},
                    }
                    for status, text in REFUSALS.items()
                },
            },
        }
    )


def _operation(one: Endpoint, schema_of: dict[int, Any]) -> dict[str, Any]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": PART_TYPES[kind]}}
        for kind, name in PART.findall(one.path)
    ]
    in_query = [
        {
            "name": name,
            "in": "query",
            "description": PAGING[name],
            "schema": {"type": "integer", "minimum": 1},
        }
        for name in one.query
    ]
    answer = schema_of.get(id(one.answer), {"type": "string", "format": "binary"})
    body = {"required": False, "content": {"application/json": {"schema": schema_of.get(id(one.body))}}}
    return {
        "operationId": one.name,
        "summary": one.summary,
        "description": f"Needs the scope “{one.scope}”.",
        "parameters": [*in_path, *in_query],
        **({"requestBody": body} if one.body else {}),
        "responses": {
            "200": {"description": "Done", "content": {one.media: {"schema": answer}}},
            **{status: {"$ref": f"#/components/responses/{status}"} for status in REFUSALS},
        },
    }
