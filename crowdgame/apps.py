from django.apps import AppConfig
from django.conf import settings

from crowdgame.config.logs import log_the_unexpected


class CrowdgameConfig(AppConfig):
    name = "crowdgame"

    def ready(self) -> None:
        if settings.LOG_FORMAT == "json":
            log_the_unexpected()
