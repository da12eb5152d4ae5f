from django.apps import AppConfig
from django.db.models.signals import pre_delete


class EventsConfig(AppConfig):
    name = "crowdgame.events"

    def ready(self) -> None:
        from django.contrib.auth.models import User  # noqa: PLC0415

        from crowdgame.events import nicknames  # noqa: F401, PLC0415  registers a gateway hook
        from crowdgame.events.former_organizers import forget_organizer  # noqa: PLC0415

        pre_delete.connect(forget_organizer, User)
