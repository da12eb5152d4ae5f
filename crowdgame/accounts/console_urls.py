from django.contrib.auth.views import LogoutView
from django.urls import path

from crowdgame.accounts.lockout import LockoutLoginView
from crowdgame.accounts.login_links import log_in_by_link

urlpatterns = [
    path("login/", LockoutLoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("enter/<str:uid>/<str:token>/", log_in_by_link, name="enter"),
    path("enter/<str:uid>/<str:token>/<code:code>/", log_in_by_link, name="enter_room"),
]
