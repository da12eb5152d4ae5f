"""App config of events: setup, members, tickets and the audit log."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "crowdgame.events"
    verbose_name = "Events"
