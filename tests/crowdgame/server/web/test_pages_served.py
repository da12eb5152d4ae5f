import gzip
import re

import pytest

from tests.monitoring.probes import ask
from tests.server import Server
from tests.voting.content_policy import hashes_of, sources


@pytest.mark.parametrize("path", ["/BCDF", "/display/BCDF"])
def test_built_page_obeys_its_content_policy_and_is_compressed(path: str, server: Server) -> None:
    page, zipped = ask(server, path), ask(server, path, {"Accept-Encoding": "gzip"})
    assert (gzip.decompress(zipped.body), zipped.headers["Content-Encoding"]) == (page.body, "gzip")
    allowed, hashes = sources(page.headers["Content-Security-Policy"]), hashes_of(page.body)
    assert allowed["script-src"] == {"'self'"} | hashes["script"]
    assert allowed["style-src"] == {"'self'"} | hashes["style"]
    markup = re.sub(rb"(?s)<(script|style)\b.*?</\1>", b"", page.body)
    assert not re.search(rb"""<[^>]+\sstyle=|<[^>]+\son[a-z]+=""", markup)
    if path == "/BCDF":  # phones load no other resource
        assert re.findall(rb'(?:src|href)="(?!data:)[^"]*"', markup) == []
        assert not re.search(rb"<script[^>]*\ssrc=", page.body)
    assert ask(server, "/static/%2e%2e/%2e%2e/etc/passwd").status == 404
