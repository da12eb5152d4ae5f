"""Addresses under /console/. A join code has no vowels, so it is never one of these words."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path, register_converter

from crowdgame.accounts.lockout import Login
from crowdgame.cups import ladder_view as ladder
from crowdgame.cups import views as cups
from crowdgame.events import member_views as members
from crowdgame.events import new_event
from crowdgame.events import ticket_views as tickets
from crowdgame.events import views as organizer
from crowdgame.printing import views as printed
from crowdgame.reports import study_view as study
from crowdgame.web.content_policy import View, guarded


class CodeConverter:
    regex = "[A-Za-z0-9]{4,8}"

    def to_python(self, value: str) -> str:
        return value.upper()

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")


def page(address: str, view: View, name: str) -> URLPattern:
    return path(address, guarded(view), name=name)


app_name = "console"
urlpatterns = [
    page("", organizer.list_events, "events"),
    page("login/", Login.as_view(redirect_authenticated_user=True), "login"),
    page("logout/", LogoutView.as_view(), "logout"),
    page("enter/<str:uid>/<str:token>/", organizer.enter, "enter"),
    page("enter/<str:uid>/<str:token>/<code:code>/", organizer.enter, "enter_room"),
    page("ladder/", ladder.team_ladder, "ladder"),
    page("new/", new_event.new_event, "new"),
    page("new/<slug:slug>/", new_event.new_event_form, "new_form"),
    page("cups/new/", cups.new_cup, "new_cup"),
    page("cups/<code:code>/", cups.cup_room, "cup"),
    page("cups/<code:code>/edit/", cups.change_cup, "change_cup"),
    page("cups/<code:code>/delete/", cups.remove_cup, "delete_cup"),
    page("<code:code>/", organizer.control_room, "room"),
    page("<code:code>/edit/", organizer.change_event, "change"),
    page("<code:code>/again/", new_event.another_event, "again"),
    page("<code:code>/delete/", organizer.delete_event, "delete"),
    page("<code:code>/members/", members.members, "members"),
    page("<code:code>/tickets/", tickets.tickets, "tickets"),
    page("<code:code>/tickets/print/", tickets.print_tickets, "tickets_print"),
    page("<code:code>/tickets/csv/", tickets.download_tickets, "tickets_csv"),
    page("<code:code>/study.csv", study.download_study, "study"),
    page("<code:code>/tickets.pdf", printed.ticket_sheets, "tickets_pdf"),
    page("<code:code>/poster.pdf", printed.poster, "poster"),
]
