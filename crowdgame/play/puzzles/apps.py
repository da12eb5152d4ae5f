from django.apps import AppConfig


class PuzzlesConfig(AppConfig):
    name = "crowdgame.play.puzzles"
