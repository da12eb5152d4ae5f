"""URL patterns of event pages under /console/."""

from crowdgame.events import member_views, new_event, print_views, study_views, ticket_views, views
from crowdgame.web.page_urls import page

urlpatterns = [
    page("new/", new_event.new_event, "new"),
    page("new/<slug:slug>/", new_event.new_event_form, "new_form"),
    page("<code:code>/edit/", views.change_event, "change"),
    page("<code:code>/again/", new_event.copy_event, "again"),
    page("<code:code>/delete/", views.delete_event, "delete"),
    page("<code:code>/members/", member_views.members, "members"),
    page("<code:code>/tickets/", ticket_views.tickets, "tickets"),
    page("<code:code>/tickets/print/", ticket_views.print_tickets, "tickets_print"),
    page("<code:code>/tickets/csv/", ticket_views.download_tickets, "tickets_csv"),
    page("<code:code>/study.csv", study_views.download_study, "study"),
    page("<code:code>/tickets.pdf", print_views.ticket_sheets, "tickets_pdf"),
    page("<code:code>/poster.pdf", print_views.poster, "poster"),
]
