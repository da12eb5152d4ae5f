"""The model of an event."""

import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext_lazy as _

from voting.models.match_terms import MatchTerms
from voting.models.settings import choices, hidden_part, setting
from voting.terms import Admission, AnalysisTime, Lobby, Nicknames, TeamChoice

MAX_BEST_OF = 21
NOTICE_LENGTH = 140
MAX_CODE_LENGTH = 16
BRAND_LINE_LENGTH = 40
SEED_BYTES = 16


def new_seed() -> str:
    """Return an unpredictable seed for random draws."""
    return secrets.token_hex(SEED_BYTES)


class Event(MatchTerms):
    """An event: a join code, two teams, and a series of matches. `seq` counts its announcements.

    `peek`: the console sees live counts before the reveal, and all clients are informed of it.
    `own_counts`: each team sees its own. `notice` is shown on every client, until `notice_until` (server time
    in ms) if that is set. The `hide_*` fields hide parts on
    displays.

    With `sound_on`, displays turn their sound on. Otherwise each display decides, unless `hide_sound`.
    With `lobby_music`, displays with sound play the installation's music before a match.

    `next_seed` decides what is drawn at the start of the next match. Its commitment is public before.

    A team wins the series with more than half of `best_of` matches. `extra_s` is added to every turn, for
    players who need extra time. After `anonymized_at`, no data links the ballots of a voter to each other.

    Displays, printed sheets and reports are in `language`, a code of settings.LANGUAGES.

    `display_key_version` counts how often an organizer has replaced the display link.

    From `ends_at` (server time in ms) on, no match is played.

    `brand_line` names a sponsor, for example. `logo` is the key of a picture, as in its URL. If one is empty,
    the installation's default is shown.

    With `fixed_players`, the players are the same in each match, and swap colors. They need no organizer.
    """

    code = models.CharField(max_length=MAX_CODE_LENGTH, unique=True, validators=[MinLengthValidator(4)])
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="events")
    language = models.CharField(max_length=10, default=get_language, db_default=settings.LANGUAGE_CODE)
    lobby = models.CharField(max_length=8, choices=Lobby.choices(), default=Lobby.CLOSED)
    team_choice = setting(
        models.CharField(
            _("How voters join a team"),
            max_length=8,
            choices=choices(TeamChoice),
            default=TeamChoice.BALANCE,
            help_text=_(
                "A team's link or QR code leads straight to that team. It is not secret: anyone can "
                "use it, and the join page offers both teams. For fixed teams, use a class list with teams."
            ),
        ),
        "joining",
    )
    admission = setting(
        models.CharField(
            _("Admission"),
            max_length=8,
            choices=choices(Admission),
            default=Admission.OPEN,
            db_default=Admission.OPEN,
        ),
        "joining",
    )
    own_counts = setting(
        models.BooleanField(
            _("Show each team its own votes so far on its phones (all screens say so)"),
            default=False,
            db_default=False,
        ),
        "seen",
    )
    peek = setting(
        models.BooleanField(
            _("Show the votes in the console before the reveal (all screens say so)"),
            default=False,
            db_default=False,
        ),
        "seen",
    )
    team_discussion = setting(
        models.BooleanField(
            _("Let each team write suggestions that only its own voters and the organizers see"),
            default=False,
            db_default=False,
        ),
        "seen",
    )
    analysis = setting(
        models.CharField(
            _("Show how good the choices were"),
            max_length=8,
            choices=choices(AnalysisTime),
            default=AnalysisTime.MATCH,
            db_default=AnalysisTime.MATCH.value,
            help_text=_(
                "The analysis compares the votes of each turn with best play. It shows nothing about the "
                "position that people vote on."
            ),
        ),
        "seen",
    )
    nicknames = setting(
        models.CharField(
            _("Nicknames of voters"),
            max_length=9,
            choices=choices(Nicknames),
            default=Nicknames.SUGGESTED,
            db_default=Nicknames.OFF.value,
            help_text=_(
                "A nickname is personal data. For data protection, the templates for classes start without "
                "nicknames, and an event with a class list never has any."
            ),
        ),
        "seen",
    )
    embed_sites = setting(
        models.TextField(
            _("Sites that may embed this event"),
            blank=True,
            default="",
            db_default="",
            help_text=_(
                "Addresses such as https://school.example, separated by spaces. List only sites that you "
                "trust: a page around the phone page can trick its visitors into voting."
            ),
        ),
        "seen",
    )
    notice = models.CharField(max_length=NOTICE_LENGTH, blank=True, default="", db_default="", editable=False)
    notice_until = models.BigIntegerField(null=True, blank=True, editable=False)
    hide_code = hidden_part(
        _("Hide the join code on the big screen"),
        "code",
        "Code",
        gettext_noop("%(by)s hid the join code"),
        gettext_noop("%(by)s showed the join code"),
    )
    hide_turnout = hidden_part(
        _("Hide the turnout on the big screen"),
        "turnout",
        "Turnout",
        gettext_noop("%(by)s hid the turnout"),
        gettext_noop("%(by)s showed the turnout"),
    )
    hide_tally = hidden_part(
        _("Reveal only the moves, without vote counts"),
        "tally",
        "Votes",
        gettext_noop("%(by)s hid the votes"),
        gettext_noop("%(by)s showed the votes"),
    )
    hide_drops = hidden_part(
        _("Don't let voters mark their own drop on the big screen"),
        "drops",
        "Marks of drops",
        gettext_noop("%(by)s hid the marks of voters' drops"),
        gettext_noop("%(by)s showed the marks of voters' drops"),
    )
    hide_sound = hidden_part(
        _("No sound from any big screen"),
        "sound",
        "Sound",
        gettext_noop("%(by)s turned the sound off"),
        gettext_noop("%(by)s turned the sound on"),
    )
    hide_hints = hidden_part(
        _("No hints about winning columns before the match is over"),
        "hints",
        "Hints",
        gettext_noop("%(by)s turned off the hints about winning columns"),
        gettext_noop("%(by)s turned on the hints about winning columns"),
    )
    hide_recognition = hidden_part(
        _("No streaks of good or shared choices on phones"),
        "recognition",
        "Streaks",
        gettext_noop("%(by)s turned off the streaks on phones"),
        gettext_noop("%(by)s turned on the streaks on phones"),
    )
    hide_judges = hidden_part(
        _("No best judges at the end of a match"),
        "judges",
        "Best judges",
        gettext_noop("%(by)s hid the best judges"),
        gettext_noop("%(by)s showed the best judges"),
    )
    sound_on = models.BooleanField(default=False, db_default=False, editable=False)
    lobby_music = models.BooleanField(default=False, db_default=False, editable=False)
    best_of = setting(
        models.PositiveSmallIntegerField(
            _("Series"),
            null=True,
            blank=True,
            validators=[MinValueValidator(1), MaxValueValidator(MAX_BEST_OF)],
        ),
        "series",
    )
    extra_s = models.PositiveIntegerField("extra seconds per turn", default=0, db_default=0, editable=False)
    anonymized_at = models.DateTimeField(null=True, blank=True, editable=False)
    next_match_after_s = setting(
        models.PositiveIntegerField(
            _("Next match"),
            null=True,
            blank=True,
            validators=[MinValueValidator(3), MaxValueValidator(24 * 3600)],
            help_text=_("Counted from the end of the last reveal."),
        ),
        "series",
    )
    next_match_at = models.BigIntegerField(null=True, blank=True, editable=False, db_index=True)
    ends_at = models.BigIntegerField(null=True, blank=True, editable=False, db_index=True)
    fixed_players = models.BooleanField(db_column="is_duel", default=False, db_default=False, editable=False)
    brand_line = models.CharField(
        max_length=BRAND_LINE_LENGTH, blank=True, default="", db_default="", editable=False
    )
    logo = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    display_key_version = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    next_seed = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    seq = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta(MatchTerms.Meta):
        db_table = "games_event"
        constraints = [
            *MatchTerms.Meta.constraints,
            CheckConstraint(condition=Q(lobby__in=list(Lobby)), name="event_lobby_known"),
            CheckConstraint(condition=Q(team_choice__in=list(TeamChoice)), name="event_team_choice_known"),
            CheckConstraint(condition=Q(admission__in=list(Admission)), name="event_admission_known"),
            CheckConstraint(condition=Q(analysis__in=list(AnalysisTime)), name="event_analysis_known"),
            CheckConstraint(condition=Q(nicknames__in=list(Nicknames)), name="event_nicknames_known"),
            CheckConstraint(condition=Q(seq__gte=0), name="event_seq_not_negative"),
            CheckConstraint(
                condition=Q(best_of=None) | Q(best_of__gte=1, best_of__lte=MAX_BEST_OF),
                name="event_best_of_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"

    @property
    def shown_brand_line(self) -> str:
        return self.brand_line or str(settings.BRAND_LINE)

    @property
    def shown_logo(self) -> str:
        return self.logo or str(settings.BRAND_LOGO_KEY)
