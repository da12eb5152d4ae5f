"""Lines of an IRC server: which are votes, and for which column."""

import pytest

from voting.sources.chat_lines import ChatVote, parse_column, parse_line, read_vote

NOW = 7
TAGS = "@badge-info=;color=#FF0000;display-name=Ann;room-id=11;tmi-sent-ts=1700000000123;user-id=42"


def read(line: str | bytes) -> ChatVote | None:
    parsed = parse_line(line if isinstance(line, bytes) else line.encode())
    return read_vote(parsed, NOW) if parsed else None


@pytest.mark.parametrize(
    "text",
    [
        "3",
        " !3 ",
        "! 3",
        "3.",
        "3)",
        "03",
        "3\r",
        "3\U000e0000",
        "3\ufe0f\u20e3",
        "\uff01\uff13",
        "\u0663",
        "\u0969",
    ],
)
def test_parse_column_accepts_what_people_type(text: str) -> None:
    assert parse_column(text) == 3


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "!",
            "3 is bad",
            "I say 3",
            "3 4",
            "123",
            "3?",
            "!!3",
            "#3",
            "@ann 3",
            "-3",
            "3.5",
            "3/4",
            "3,",
        ),
        *("\uff13\uff13\uff13", "3" * 500, "\u5341\u4e09", "\xbd", "\x01ACTION 3\x01"),
    ],
)
def test_parse_column_ignores_ordinary_chat(text: str) -> None:
    assert parse_column(text) is None


def test_vote_has_the_servers_time_and_the_senders_login() -> None:
    vote = ChatVote("rooks", "ann", 5, 1700000000123)
    assert read(f"{TAGS} :Ann!ann@ann.tmi.twitch.tv PRIVMSG #Rooks :!5\r\n") == vote
    assert read(f"{TAGS};source-room-id=11 :ann!a@b PRIVMSG #rooks :5") == vote
    assert read(":ann!a@host PRIVMSG #rooks 5\r\n") == vote._replace(sent_at=NOW)


@pytest.mark.parametrize(
    "line",
    [
        f"{TAGS};source-room-id=12 :ann!a@b PRIVMSG #rooks :5",  # from another channel of a shared chat
        f"{TAGS} :ann!a@b PRIVMSG justinfan1 :5",
        f"{TAGS} :ann!a@b NOTICE #rooks :5",
        f"{TAGS} PRIVMSG #rooks :5",
        f"{TAGS} :ann!a@b PRIVMSG #rooks",
        "@ :",
        b"\xff\xfe\x00 :\xc3( PRIVMSG \x80",
        b":ann!a@b PRIVMSG #rooks :\xff5",
        # A text cannot pretend to be tags or another sender.
        ":ann!a@b PRIVMSG #rooks :@tmi-sent-ts=1 :bob!b@b PRIVMSG #rooks :5",
    ],
)
def test_other_lines_are_no_votes(line: str | bytes) -> None:
    assert read(line) is None


@pytest.mark.parametrize("stamp", ["", "soon", "-5", "1e9", "\u0663"])
def test_wrong_timestamp_is_the_time_of_arrival(stamp: str) -> None:
    assert read(f"@tmi-sent-ts={stamp} :ann!a@b PRIVMSG #rooks :5") == ChatVote("rooks", "ann", 5, NOW)
