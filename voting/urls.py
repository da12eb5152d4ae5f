"""Addresses under /console/. A join code has no vowels, so it is never one of these words."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path, register_converter

from voting import event_pages, members_page, print_pages, ticket_pages, views
from voting.content_policy import View, guarded
from voting.lockout import Login


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
    page("", views.list_events, "events"),
    page("login/", Login.as_view(redirect_authenticated_user=True), "login"),
    page("logout/", LogoutView.as_view(), "logout"),
    page("enter/<str:uid>/<str:token>/", views.enter, "enter"),
    page("enter/<str:uid>/<str:token>/<code:code>/", views.enter, "enter_room"),
    page("new/", event_pages.new_event, "new"),
    page("new/<slug:slug>/", event_pages.new_event_form, "new_form"),
    page("<code:code>/", views.control_room, "room"),
    page("<code:code>/edit/", views.change_event, "change"),
    page("<code:code>/delete/", views.delete_event, "delete"),
    page("<code:code>/members/", members_page.members, "members"),
    page("<code:code>/tickets/", ticket_pages.tickets, "tickets"),
    page("<code:code>/tickets/print/", ticket_pages.print_tickets, "tickets_print"),
    page("<code:code>/tickets/csv/", ticket_pages.download_tickets, "tickets_csv"),
    page("<code:code>/tickets.pdf", print_pages.ticket_sheets, "tickets_pdf"),
    page("<code:code>/poster.pdf", print_pages.poster, "poster"),
]
