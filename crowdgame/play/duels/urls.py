from django.urls import path

from crowdgame.play.duels import views

urlpatterns = [
    path("", views.play, name="play"),
    path("go", views.go_to_event, name="find_event"),
    path("new", views.new_game, name="new_game"),
    path("all/<slug:kind>", views.game_list, name="game_list"),
    path("<code:code>", views.duel, name="duel"),
    path("<code:code>/join", views.join, name="join_duel"),
    path("<code:code>/rematch", views.rematch, name="rematch"),
    path("<code:code>/withdraw", views.withdraw, name="withdraw_duel"),
    path("<code:code>/do/<slug:what>", views.act, name="duel_action"),
    path("<code:code>/plan", views.plan, name="plan_pick"),
    path("<code:code>/begin", views.begin, name="begin_duel"),
]
