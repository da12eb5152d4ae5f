from django.urls import path

from crowdgame.accounts.invitation_views import accept_invitation, invitations
from crowdgame.accounts.login_links import log_in_by_link

urlpatterns = [
    path("invitations/", invitations, name="invitations"),
    path("invitation/<str:token>/", accept_invitation, name="invitation"),
    path("enter/<str:uid>/<str:token>/", log_in_by_link, name="enter"),
    path("enter/<str:uid>/<str:token>/<code:code>/", log_in_by_link, name="enter_room"),
]
