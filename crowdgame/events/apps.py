from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "crowdgame.events"

    def ready(self) -> None:
        from crowdgame.events import nicknames  # noqa: F401, PLC0415  registers a gateway hook
