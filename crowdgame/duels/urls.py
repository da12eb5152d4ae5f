from django.urls import path

from crowdgame.duels import views

urlpatterns = [
    path("", views.hall, name="hall"),
    path("go", views.go, name="hall_go"),
    path("new", views.new_game, name="new_game"),
    path("all/<slug:kind>", views.hall_list, name="hall_list"),
    path("<code:code>", views.duel, name="duel"),
    path("<code:code>/join", views.join, name="join_duel"),
    path("<code:code>/again", views.again, name="play_again"),
    path("<code:code>/begin", views.begin, name="begin_duel"),
]
