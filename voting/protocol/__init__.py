"""The wire protocol: every message between clients and server (msgspec structs, JSON).

See `docs/protocol.md`.

Client messages are `noun.verb`, most server messages `noun.participle`. Times (`_at`) are whole milliseconds
since 1970 by the ballot box's clock. Choices, turns, matches and teams count from 1.

`manage.py generate_protocol` writes `frontend/src/protocol.ts` and `docs/generated/messages.md` from this
package, and `frontend/src/methods.ts` and `methodCaptions.ts` from the voting methods.
"""

from voting.protocol.changes import *
from voting.protocol.chat_messages import *
from voting.protocol.client import *
from voting.protocol.close_codes import *
from voting.protocol.console_messages import *
from voting.protocol.fields import *
from voting.protocol.match_analysis import *
from voting.protocol.match_state import *
from voting.protocol.phone_answers import *
from voting.protocol.server import *
from voting.protocol.snapshot import *
from voting.protocol.state import *
