"""App config of the project: periodic jobs, logged exceptions and garbage collection."""

import gc

from django.apps import AppConfig
from django.conf import settings

from crowdgame.celery import app
from crowdgame.server.config.log_config import log_uncaught_exceptions
from voting.turns.periodic import every_hour, every_second


class CrowdgameConfig(AppConfig):
    name = "crowdgame"
    celery_app = app  # loaded with the project, so that tasks are sent with its settings

    def ready(self) -> None:
        from crowdgame.maintenance.retention import anonymize_events  # noqa: PLC0415
        from crowdgame.organizer.console.abandoned_rehearsals import abandoned_rehearsals  # noqa: PLC0415
        from crowdgame.results.transparency_log.submission import CheckpointSender  # noqa: PLC0415

        every_second("checkpoints for witnesses", CheckpointSender())
        every_second("matches of ended rehearsals", lambda: abandoned_rehearsals().abort_all())
        every_hour("voters of past events", lambda: anonymize_events(settings.RETENTION_DAYS))
        if settings.LOG_FORMAT == "json":
            log_uncaught_exceptions()
        gc.freeze()
        gc.enable()  # manage.py disables it
