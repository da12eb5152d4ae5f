"""Models of events, teams, matches and turns, and of what is stored about their votes.

Database constraints rule out invalid states. Times (`_at`) are whole milliseconds since 1970 by the ballot
box's clock. The board is not stored: it is the replay of the picks of the resolved turns.
"""

from voting.models.event import *
from voting.models.match import *
from voting.models.match_terms import *
from voting.models.offer import *
from voting.models.stored import *
from voting.models.team import *
from voting.models.transparency import *
