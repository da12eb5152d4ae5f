from django.urls import path

from crowdgame.accounts.login_links import log_in_by_link

urlpatterns = [
    path("enter/<str:uid>/<str:token>/", log_in_by_link, name="enter"),
    path("enter/<str:uid>/<str:token>/<code:code>/", log_in_by_link, name="enter_room"),
]
