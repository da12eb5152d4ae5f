from django.urls import path

from crowdgame.organizer.cups import archive, views

urlpatterns = [
    path("ladder/", views.team_ladder, name="ladder"),
    path("cups/new/", views.new_cup, name="new_cup"),
    path("cups/<code:code>/", views.cup_console, name="cup"),
    path("cups/<code:code>/stage/", views.open_stage, name="open_stage"),
    path("cups/<code:code>/edit/", views.change_cup, name="change_cup"),
    path("cups/<code:code>/archive/", archive.archive_cup, name="archive_cup"),
    path("cups/<code:code>/restore/", archive.restore_cup, name="restore_cup"),
    path("cups/<code:code>/delete/", views.remove_cup, name="delete_cup"),
]
