"""Models of events, teams, matches and turns. Database constraints rule out invalid states.

Times (`_at`) are whole milliseconds since 1970 by the ballot box's clock. The board is not stored: it is the
replay of the picks of the resolved turns.
"""

from games.models.event import *
from games.models.match import *
from games.models.terms import *
