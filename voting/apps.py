from django.apps import AppConfig


class VotingConfig(AppConfig):
    name = "voting"
    verbose_name = "Matches and votes"
