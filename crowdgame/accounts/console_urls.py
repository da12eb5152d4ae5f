from django.contrib.auth.views import LogoutView

from crowdgame.accounts.lockout import Login
from crowdgame.accounts.sign_in import enter
from crowdgame.web.page_urls import page

urlpatterns = [
    page("login/", Login.as_view(redirect_authenticated_user=True), "login"),
    page("logout/", LogoutView.as_view(), "logout"),
    page("enter/<str:uid>/<str:token>/", enter, "enter"),
    page("enter/<str:uid>/<str:token>/<code:code>/", enter, "enter_room"),
]
