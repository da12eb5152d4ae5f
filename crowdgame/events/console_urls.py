"""URL patterns of event pages under /console/."""

from django.urls import path

from crowdgame.events import (
    archive,
    member_views,
    new_event,
    organization_views,
    schedule,
    ticket_views,
    views,
)
from crowdgame.events.branding.views import branding, undo_branding
from crowdgame.events.printing.pdf_views import pdf_view

PDF_OF_TICKETS = pdf_view("crowdgame.events.print_views.ticket_sheets")
PDF_OF_POSTER = pdf_view("crowdgame.events.print_views.poster")

urlpatterns = [
    path("new/", new_event.new_event, name="new"),
    path("new/<slug:slug>/", new_event.new_event_form, name="new_form"),
    path("organizations/", organization_views.organizations, name="organizations"),
    path("organizations/<int:pk>/", organization_views.organization, name="organization"),
    path("organizations/join/<str:token>/", organization_views.join_organization, name="join_organization"),
    path("<code:code>/edit/", views.change_event, name="change"),
    path("<code:code>/branding/", branding, name="branding"),
    path("<code:code>/branding/undo/", undo_branding, name="undo_branding"),
    path("<code:code>/again/", new_event.copy_event, name="again"),
    path("<code:code>/archive/", archive.archive_event, name="archive"),
    path("<code:code>/restore/", archive.restore_event, name="restore"),
    path("<code:code>/delete/", views.delete_event, name="delete"),
    path("<code:code>/schedule/", schedule.schedule, name="schedule"),
    path("<code:code>/members/", member_views.members, name="members"),
    path("<code:code>/tickets/", ticket_views.tickets, name="tickets"),
    path("<code:code>/tickets/csv/", ticket_views.download_tickets, name="tickets_csv"),
    path("<code:code>/report.html", views.download_report, name="event_report"),
    path("<code:code>/study.csv", views.download_study, name="study"),
    path("<code:code>/tickets.pdf", PDF_OF_TICKETS, name="tickets_pdf"),
    path("<code:code>/poster.pdf", PDF_OF_POSTER, name="poster"),
]
