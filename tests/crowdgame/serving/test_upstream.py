"""The gateways override private parts of these libraries. Each upgrade needs a look at them.

If a version differs, read what changed in the named modules, run `make test`, and set the new version here.
"""

import inspect
import re
from importlib import import_module, metadata

import pytest

PRIVATE_NAMES: dict[tuple[str, str], dict[str, str]] = {
    ("twisted", "26.10.0"): {
        "twisted.internet.abstract": "_tempDataBuffer dataBuffer bufferSize writeSomeData",
        "twisted.internet.tcp": "_fromListeningDescriptor numberAccepts",
        "twisted.protocols.basic": "_buffer",
        "twisted.web.http": "_path allHeadersReceived gotLength requestFactory timeOut",
    },
    ("autobahn", "26.10.2"): {
        "autobahn.twisted.websocket": "_closeConnection hlval",
        "autobahn.websocket.protocol": "_dataReceived _invalid_payload _max_message_size_exceeded _wskey "
        "current_frame data failedByMe hltype inside_message pformat sendData succeedHandshake",
    },
    ("daphne", "4.2.3"): {
        "daphne.server": "application_instance connections disconnected kill_all_applications ws_factory",
        "daphne.ws_protocol": "_raw_query_string application_queue serverSend",
    },
    ("uvicorn", "0.54.0"): {
        "uvicorn.protocols.http.httptools_impl": "cycle on_response_complete timeout_keep_alive_task",
        "uvicorn.protocols.websockets.websockets_sansio_impl": "close_sent curr_msg_data_type frames "
        "handle_parser_exception handshake_complete read_paused run_asgi send_receive_event_to_app writable",
        "uvicorn.server": "capture_signals",
    },
    ("websockets", "17.4"): {
        "websockets.protocol": "close_sent current_size handshake_exc parser parser_exc",
        "websockets.streams": "at_eof",
    },
}


@pytest.mark.parametrize(("library", "version"), PRIVATE_NAMES)
def test_overridden_library_has_the_version_that_was_read(library: str, version: str) -> None:
    assert metadata.version(library) == version, __doc__


@pytest.mark.parametrize(
    ("module", "names"), [named for modules in PRIVATE_NAMES.values() for named in modules.items()]
)
def test_overridden_names_still_exist(module: str, names: str) -> None:
    source = inspect.getsource(import_module(module))
    assert [name for name in names.split() if not re.search(rf"\b{name}\b", source)] == []
