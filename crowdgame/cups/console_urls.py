from crowdgame.cups import views
from crowdgame.cups.ranking_view import team_ladder
from crowdgame.web.page_urls import page

urlpatterns = [
    page("ladder/", team_ladder, "ladder"),
    page("cups/new/", views.new_cup, "new_cup"),
    page("cups/<code:code>/", views.cup_console, "cup"),
    page("cups/<code:code>/edit/", views.change_cup, "change_cup"),
    page("cups/<code:code>/delete/", views.remove_cup, "delete_cup"),
]
