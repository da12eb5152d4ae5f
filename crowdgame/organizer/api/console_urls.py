from allauth.account.decorators import reauthentication_required
from django.urls import path

from crowdgame.events.access import organizer_page
from crowdgame.organizer.api.organization_export import export_organization
from crowdgame.organizer.api.pages import tokens
from crowdgame.organizer.api.webhook_pages import webhooks

urlpatterns = [
    path("tokens/", organizer_page(reauthentication_required(tokens)), name="api_tokens"),
    path("webhooks/", organizer_page(reauthentication_required(webhooks)), name="webhooks"),
    path("organizations/<int:pk>/export.zip", export_organization, name="organization_export"),
]
