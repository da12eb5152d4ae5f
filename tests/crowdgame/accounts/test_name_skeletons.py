# ruff: noqa: RUF001

import sys
import unicodedata
from typing import cast

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import override
from hypothesis import example, given
from hypothesis import strategies as st

from crowdgame.accounts import accounts
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import GUEST_SKELETON_LENGTH, Guest
from crowdgame.accounts.name_skeletons import name_skeleton
from crowdgame.events.event_texts import computer_name
from voting.ballot_box.ballot_box import BallotBox

PASSWORD = "anchors-aweigh"
RESERVED = "This name is reserved. Choose another one."
LOOK_ALIKES = [
    *("Mоderator", "Guеst 12657", "Admіn", "Adm\u0131n", "Admln", "AdmIn", "Ádmin", "Gu\u0435\u0455t"),
    *("0rganizer", "Organiser", "Crowdgame staff", "Cr0wd-game", "C r o w d g a m e 2", "\uff21dmin"),
    *("Adrnin", "Moderator 2", "Admin Anna", "Adminlstrator", "Staff", "Supp0rt", "Open seat", "The crowd"),
    *("The Cr0wd", "\U0001d40cod", "The Computer", "C0mputer 3", "COMPUTER-4", "Bot", "bot 12"),
]
ROLES = [
    *("Owner", "Host", "The Host", "Host2", "co-host", "Staff Anna", "Referee", "Umpire", "Your Moderator"),
    *("Veranstalterin", "Spielleitung", "Der Schiedsrichter", "Gastgeber", "Modération", "Moderatorin"),
    *("Modérateur", "Modératrice", "Organisateur", "Propriétaire", "Hôte", "Arbitre", "Administrateur"),
    *("Moderadora", "Organizador", "Dueño", "Anfitrión", "Árbitro", "Propietaria", "Proprietário", "Dono"),
    *("版主", "管理员", "主办方", "版主小王", "裁判", "مشرف", "المشرفة", "منظّم", "المنظم", "مدير"),
]
FREE = [
    *("Hostettler", "Computerfreak", "Botond", "Modesty", "Adam", "Malik", "مالك", "Dona Maria", "Leita"),
    *("Donovan", "王小明", "Anna Guest", "Staffan", "Modesta", "Gustav", "Organa", "Theo"),
]
ONE_SCRIPT = [
    *("Ada", "Jürgen Groß", "Zoë-Marie", "O'Neil", "Nguyễn Văn", "Łukasz", "İpek", "Ada 2", "4ever"),
    *("Иван Петров", "Їжак", "Νίκος", "أحمد", "محمد ٢", "٢٢", "דוד", "Արամ", "გიორგი", "किरण", "สมชาย"),
    *("王小明", "ㄅㄆ王", "佐藤ハナ", "さとう ハナ", "ポケモン", "Sato 佐藤"),
    *("김민수", "金민수", "Kim 민수", "Ada 2-'ー"),
]
MIXED = ["Аnna", "Annа", "Μaria", "Ivan Петров", "Anna أحمد", "Ωmega", "Ꭺnna", "Mօna", "Москва 東京"]


def sign_up(name: str) -> Guest:
    guest = new_guest()
    accounts.create_account(guest, accounts.clean_account_name(name), PASSWORD)
    return guest


@pytest.mark.parametrize("name", LOOK_ALIKES + ROLES)
def test_role_or_look_alike_of_a_reserved_word_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match=RESERVED):
        accounts.clean_account_name(name)


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_name_of_a_computer_opponent_is_refused(language: str) -> None:
    with override(language):
        name = computer_name(3)
    for one in (name, name.replace(" ", ""), name.replace("3", "").strip()):
        with pytest.raises(ValidationError, match=RESERVED):
            accounts.clean_account_name(one)


@pytest.mark.parametrize("name", MIXED)
def test_name_of_mixed_scripts_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="mixes letters of different scripts"):
        accounts.clean_account_name(name)


@pytest.mark.parametrize("name", FREE + ONE_SCRIPT)
def test_name_in_one_script_without_role_is_accepted(name: str) -> None:
    assert accounts.clean_account_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.django_db
def test_only_look_alikes_of_taken_names_are_refused() -> None:
    for taken, name in [
        *(("Tom", "ТОМ"), ("TOM", "ТОМ"), ("Hope", "Норе"), ("Осе", "Oce"), ("Νίκος", "ΝΊΚΟΣ")),
        *(("Ali", "AIi"), ("Bill", "BlLL"), ("Bob", "B0b"), ("Bernd", "Bemd"), ("Ada 1", "Ada l")),
        *(("O'Neil", "O\u02bcNeil"), ("二ハ", "ニ八"), ("Ada", "a-d_a"), ("\uff21d\uff41", "Ada")),
    ]:
        guest = sign_up(taken)
        with pytest.raises(accounts.AccountError, match="This name, or one like it, is taken"):
            sign_up(name)
        assert not User.objects.filter(guest=None).exists(), "a user without a guest may create events"
        accounts.rename(guest, f"Guestless {guest.pk}")
    for name in ("Zoe", "Zoë", "Bar", "Bär", "Иван", "Йван", "Ada 1", "Ada 2", "Max", "Mac"):
        assert sign_up(name).name == name


@pytest.mark.django_db
def test_rename_and_deletion_release_the_look_alikes(box: BallotBox) -> None:
    ada = sign_up("Bob")
    accounts.rename(ada, accounts.clean_account_name("B0b"))
    accounts.rename(ada, accounts.clean_account_name("Ada"))
    bob = sign_up("Bob")
    accounts.delete_account(cast(User, bob.user), box)
    assert sign_up("B0b").name == "B0b"


@given(st.text(max_size=30))
@example("È¸")
def test_skeleton_is_stable_and_ignores_the_case_of_ascii_letters(text: str) -> None:
    assert name_skeleton(name_skeleton(text)) == name_skeleton(text)
    ascii_text = text.encode("ascii", "ignore").decode()
    assert name_skeleton(ascii_text.upper()) == name_skeleton(ascii_text.lower())


@given(st.text(max_size=30))
def test_valid_name_is_harmless_and_stable_and_its_skeleton_fits_the_column(typed: str) -> None:
    try:
        name = accounts.clean_account_name(typed)
    except ValidationError:
        return
    assert accounts.clean_account_name(name) == name
    assert not set(name) & set('<>&"@./:\n\r\0')
    assert len(accounts.name_key(name)) >= 2
    assert 0 < len(name_skeleton(name)) <= GUEST_SKELETON_LENGTH


def test_skeleton_of_every_letter_is_stable() -> None:
    letters = [chr(point) for point in range(sys.maxunicode) if unicodedata.category(chr(point))[0] in "LN"]
    skeletons = map(name_skeleton, letters)
    assert [skeleton for skeleton in skeletons if name_skeleton(skeleton) != skeleton] == []
