from django.urls import path

from crowdgame.cups.board_view import cup_board

urlpatterns = [path("cup/<code:code>", cup_board, name="cup")]
