from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from crowdgame.accounts import accounts
from crowdgame.accounts.guest_names import find_guest, new_guest
from crowdgame.accounts.models import Guest
from crowdgame.events.variants import TIMES, describe_variant, name_variant
from crowdgame.maintenance.retention import anonymize_events
from crowdgame.play.chat.models import ChatLine
from crowdgame.play.duels import cleanup, lists
from crowdgame.play.duels.cleanup import GAMES_PER_STEP, abandoned_games, clean_up_duels, stale_guests
from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.duels.duel_matches import list_series
from crowdgame.play.duels.duels import DuelSettings, active_games, join_duel, new_duel, start_for_one
from crowdgame.play.duels.lists import DuelListKind, load_page, load_play_lists
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.duels.seat_keys import load_seat_key
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from tests.crowdgame.maintenance.test_retention import backdate_event
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.play.duels.test_player_actions import begin
from tests.play_helpers import post_chat_message
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, vote
from tests.voting.page_fixtures import SIMULTANEOUS
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Ticket
from voting.terms import MatchState
from voting.turns.scheduler import PURGE_EVERY_S, DeadlineScheduler

pytestmark = pytest.mark.django_db
LONG = [(1, 2), (2, 1), (1, 2), (2, 1), (3, 4), (3, 4), (3, 3), (4, 4)]
DAYS = 60


def test_thumbnail_shows_revealed_turns_only(box: BallotBox, client: Client) -> None:
    match = begin(box).match
    play(match, box, RED_WINS[:2])
    live = only_turn(match)
    open_now(live, box)
    vote(live, box, [5], [6])
    code = match.event.code
    assert f'src="/board/{code}/1/2.svg"' in client.get("/play/").content.decode()
    none, one, two = (client.get(f"/board/{code}/1/{turns}.svg") for turns in (0, 1, 2))
    balls = [answer.content.count(b"<use") for answer in (none, one, two)]
    assert [count - balls[0] for count in balls] == [0, 2, 4]
    assert (two["Cache-Control"], two["Content-Type"]) == ("public, max-age=300", "image/svg+xml")
    assert "default-src 'none'" in two["Content-Security-Policy"]
    for missing in (f"/board/{code}/1/3.svg", f"/board/{code}/2/0.svg"):
        assert client.get(missing).status_code == 404


def test_pages_continue_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = (new_duel(new_guest(), DuelSettings()).event.code for _ in range(2))
    monkeypatch.setattr(lists, "PAGE_SIZE", 1)
    assert [load_page("open", number)[0].code for number in (1, "2", 3, "x")] == [last, first, first, last]


def test_games_of_series_are_found(box: BallotBox, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = new_guest()
    match = begin(box, guest).match
    code, event = match.event.code, match.event_id
    play(match, box, RED_WINS)
    assert not active_games(guest).exists()
    accounts.create_account(guest, "Ada", "only-for-tests")
    for team in (1, 2):
        request_rematch(event, team, box)
    live, finished = (load_page(kind, 1)[0] for kind in ("running", "finished"))
    assert (live.match, live.others, live.names[::-1]) == (2, (1,), ("Ada", finished.names[1]))
    assert (finished.match, finished.others) == (1, ())
    assert active_games(guest).count() == 1
    play(Match.objects.get(event=event, number=2), box, RED_WINS)
    [line] = load_page("finished", 1)
    assert (line.match, line.others, line.won) == (2, (1,), 1)
    page = client.get(f"/play/{code}").content.decode()
    assert all(f'href="/report/{code}/{number}"' in page for number in (1, 2))
    for _ in (3, 4):
        let_win(match.event, 1)
    Match.objects.filter(number=4).update(state=MatchState.ABORTED, result=None, ended_by=None)
    monkeypatch.setattr(lists, "MAX_OTHERS", 1)
    [line] = load_page("finished", 1)
    assert (line.match, line.others) == (3, (2,))
    matches = list(Match.objects.select_related("red", "yellow").order_by("number"))
    assert [game.number for game in list_series(matches)] == [1, 2, 3]


def test_longest_finished_game_replays_unless_both_had_a_line(box: BallotBox, client: Client) -> None:
    def shown() -> tuple[str, int, bool] | None:
        game = load_play_lists(None, None, 6).showcase
        return (game.code, game.turns, game.double_win) if game else None

    assert shown() is None
    assert "Create a game" in client.get("/play/").content.decode()
    play(begin(box).match, box, RED_WINS)
    long = begin(box).match
    assert shown() is None, "a game is live"
    play(long, box, LONG)
    assert shown() == (long.event.code, len(LONG), False)
    double = begin(box).match
    play(double, box, [(1, 2)] * 4)
    assert shown() == (double.event.code, 4, True)
    page = client.get("/play/").content.decode()
    assert f'data-picture="/board/{double.event.code}/1/0.svg"' in page


def test_new_name_shows_in_unfinished_games_only(box: BallotBox) -> None:
    guest = new_guest()
    old = str(guest)
    ended, live = (begin(box, guest).match for _ in range(2))
    play(ended, box, RED_WINS)
    new_duel(guest, DuelSettings())
    seq = Event.objects.get(pk=live.event_id).seq
    accounts.create_account(guest, "Ada", "only-for-tests")
    accounts.rename(guest, "Grace")
    kinds: tuple[DuelListKind, ...] = ("open", "running", "finished")
    for kind, name in zip(kinds, ("Grace", "Grace", old), strict=True):
        assert name in load_page(kind, 1)[0].names
    event = Event.objects.get(pk=live.event_id)
    assert ("Grace" in event.name, event.seq > seq) == (True, True)


def test_lists_and_names_survive_an_uninstalled_game(box: BallotBox, client: Client) -> None:
    guest = new_guest()
    ended, live = (begin(box, guest).match for _ in range(2))
    play(ended, box, RED_WINS)
    assert [line.your_turn for line in load_play_lists(guest, box, 6).mine] == [True]
    for model in (Event, Match):
        model._default_manager.update(game="removed-game")
    assert client.get("/play/").status_code == 200
    assert [line.your_turn for line in load_play_lists(guest, box, 6).mine] == [False]
    [line] = load_page("finished", 1)
    assert (line.about.partition(" ")[0], line.reason) == ("removed-game", "Played to the end")
    accounts.create_account(guest, "Ada", "only-for-tests")
    accounts.rename(guest, "Grace")
    assert "Grace" in load_page("running", 1)[0].names
    assert client.get(f"/play/{live.event.code}").status_code == 503


def test_description_names_game_variant_time_and_rating() -> None:
    options = {"columns": 6, "rows": 6, "first": "lot"}
    days = TIME_CONTROLS_BY_SLUG["3-days"]
    slow = DuelSettings(game="captains-mistress", options=options, casual=True, time_control=days)
    choices = (DuelSettings(), slow, DuelSettings(crowd=True))
    usual, slow_classic, crowd = (describe_duel(new_duel(new_guest(), choice)) for choice in choices)
    assert usual == (
        f"Simultaneous Captain's Mistress · 7 {TIMES} 6 · red has the token first · "
        "two lines at once: the token's holder wins · 5 minutes + 5 s per player · rated"
    )
    drawn = f"Captain's Mistress · 6 {TIMES} 6 · first to move drawn at random"
    assert slow_classic == f"{drawn} · 3 days per player · casual"
    assert crowd.endswith("30 seconds per turn · casual")
    for short, name in (
        ({}, [f"7 {TIMES} 6"]),
        ({"columns": 6, "tie": "other"}, [f"6 {TIMES} 6", "flipped double win"]),
        ({"token": "lot", "tie": "other"}, [f"7 {TIMES} 6", "special rules"]),
    ):
        assert name_variant(SIMULTANEOUS, short) == name, "in lists"
    assert describe_variant("trails", {}) == ["Size of the field: Small: 9 by 7 squares"], "its form label"
    assert describe_variant("not-installed", {"columns": 6}) == []


def game(days_ago: int = DAYS + 1, crowd: bool = False) -> tuple[Duel, Guest]:
    guest = new_guest()
    duel = new_duel(guest, DuelSettings(crowd=crowd))
    Event.objects.filter(pk=duel.event_id).update(created_at=timezone.now() - timedelta(days=days_ago))
    Guest.objects.filter(pk=guest.pk).update(seen_on=timezone.localdate() - timedelta(days=days_ago))
    return duel, guest


def test_clean_up_deletes_deserted_games_and_their_guests(box: BallotBox) -> None:
    deserted, _ = game()
    fresh, _ = game(DAYS - 1)
    joined, _ = game()
    join_duel(joined.event.code, new_guest(), box)
    assert not cleanup._drop_game(joined.event_id, DAYS), "it was joined during the cleanup"
    crowd_duel, maker = game(crowd=True)
    start_for_one(crowd_duel.event.code, maker, box)
    full, creator = game()
    Duel.objects.filter(pk=full.pk).update(one=creator, two=new_guest())
    assert list(abandoned_games(DAYS)) == [deserted]
    assert not stale_guests(DAYS).exists()
    assert list(clean_up_duels(DAYS)) == [1, 1]
    assert set(Duel.objects.all()) == {fresh, joined, crowd_duel, full}
    assert (Event.objects.count(), Guest.objects.count()) == (4, 6)
    for _ in range(GAMES_PER_STEP + 1):
        game()
    assert [*clean_up_duels(DAYS), *clean_up_duels(DAYS)] == [GAMES_PER_STEP, 1, GAMES_PER_STEP + 1]
    new_one, old_one = game(0)[0], game(1)[0]
    Duel.objects.filter(pk__in=(new_one.pk, old_one.pk)).update(network="hash")
    assert [*clean_up_duels(DAYS), *clean_up_duels(DAYS)] == [1], "hashes of networks are kept for an hour"
    assert [bool(duel.network) for duel in Duel.objects.order_by("pk")][-2:] == [True, False]


def test_returning_guest_is_kept(box: BallotBox) -> None:
    client = Client()
    client.post("/play/new")
    one, returned, with_account = Guest.objects.get(), new_guest(), new_guest()
    Guest.objects.update(seen_on=timezone.localdate() - timedelta(days=DAYS + 1))
    user = User.objects.create_user("ada")
    Guest.objects.filter(pk=with_account.pk).update(name="Ada", user=user)
    Duel.objects.all().delete()
    assert find_guest(returned.pk) == returned
    assert list(stale_guests(DAYS)) == [one]
    client.get("/play/")
    assert not stale_guests(DAYS).exists()
    assert find_guest(0) is None


@pytest.mark.parametrize("by", ["scheduler", "command"])
def test_scheduler_and_command_clean_up_duels_and_chat(by: str, box: BallotBox) -> None:
    game()
    post_chat_message("lobby", "long ago")
    ChatLine.objects.update(at=timezone.now() - timedelta(days=31))
    if by == "scheduler":
        scheduler = DeadlineScheduler(box, purged_at=-PURGE_EVERY_S)
        for _ in range(9):
            scheduler.chores_at = 0.0
            scheduler.run_once()
    else:
        call_command("retention", "--dry-run", stdout=(output := StringIO()))
        for said in ("moderation entries older than 30 days", "1 games and guests inactive"):
            assert said in output.getvalue()
        assert Duel.objects.exists()
        assert ChatLine.objects.exists()
        call_command("retention", stdout=output)
    assert not Duel.objects.exists()
    assert not ChatLine.objects.exists()
    assert Guest.objects.count() == 1, "who wrote the message"


def test_anonymized_game_keeps_seats(box: BallotBox) -> None:
    """Guests can vote who join after weeks, or ask for a rematch weeks after a match."""
    waiting, _ = game(DAYS - 1)
    Ticket.objects.update(made_at=timezone.now() - timedelta(days=DAYS - 1))
    assert list(anonymize_events(30))
    guest = new_guest()
    joined = join_duel(waiting.event.code, guest, box)
    play(Match.objects.get(), box, RED_WINS)
    backdate_event(waiting.event, 31, 32)
    assert list(anonymize_events(30))
    assert load_seat_key(joined, guest)
    Ticket.objects.all().delete()  # as earlier versions did
    players = [player for player in (joined.one, joined.two, joined.two) if player]
    one, two, again = (load_seat_key(joined, player) for player in players)
    assert "" != one != two == again
    assert load_seat_key(joined, new_guest()) == ""
