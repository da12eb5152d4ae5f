from django.urls import path

from crowdgame.play.puzzles.views import answer, puzzle, puzzle_page

urlpatterns = [
    path("puzzles", puzzle_page, name="puzzles"),
    path("puzzles/today.json", puzzle),
    path("puzzles/<int:number>", puzzle_page, name="puzzle"),
    path("puzzles/<int:number>.json", puzzle),
    path("puzzles/<int:number>/answer", answer, name="puzzle_answer"),
]
