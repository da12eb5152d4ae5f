"""App config of the project: schedules the hourly retention job and logs uncaught exceptions."""

from django.apps import AppConfig
from django.conf import settings

from crowdgame.config.log_config import log_uncaught_exceptions
from voting.turns.periodic import every_hour


class CrowdgameConfig(AppConfig):
    name = "crowdgame"

    def ready(self) -> None:
        from crowdgame.operations.retention import anonymize_events  # noqa: PLC0415

        every_hour("voters of past events", lambda: anonymize_events(settings.RETENTION_DAYS))
        if settings.LOG_FORMAT == "json":
            log_uncaught_exceptions()
