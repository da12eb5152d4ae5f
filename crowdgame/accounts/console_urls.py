from django.contrib.auth.views import LogoutView

from crowdgame.accounts.lockout import LockoutLoginView
from crowdgame.accounts.login_links import log_in_by_link

urlpatterns = [
    page("login/", LockoutLoginView.as_view(redirect_authenticated_user=True), "login"),
    page("logout/", LogoutView.as_view(), "logout"),
    page("enter/<str:uid>/<str:token>/", log_in_by_link, "enter"),
    page("enter/<str:uid>/<str:token>/<code:code>/", log_in_by_link, "enter_event"),
]
