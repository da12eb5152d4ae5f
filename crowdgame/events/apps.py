from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "crowdgame.events"
    verbose_name = "Events"
