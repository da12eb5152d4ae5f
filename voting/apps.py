from django.apps import AppConfig
from django.db.models.signals import post_save


class VotingConfig(AppConfig):
    name = "voting"
    verbose_name = "Votes"

    def ready(self) -> None:
        """The hall hears of turns, of which the match does not know who is told."""
        from crowdgame.notifications.email import plan_letters  # noqa: PLC0415
        from games.models import Turn  # noqa: PLC0415  models are not there before

        post_save.connect(plan_letters, sender=Turn)
