from django.apps import AppConfig


class CupsConfig(AppConfig):
    name = "crowdgame.cups"
    verbose_name = "Cups"
