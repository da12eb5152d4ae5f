from django.apps import AppConfig

from voting.turns.periodic import every_second


class VotingConfig(AppConfig):
    name = "voting"
    verbose_name = "Matches and votes"

    def ready(self) -> None:
        from voting.sources.casting import CAST_SOURCE_BALLOTS, is_due  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        every_second("ballots of ballot sources", DueTask(CAST_SOURCE_BALLOTS, is_due, interval_s=0))
