from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_save

from voting.turns.periodic import every_hour, every_second


class DuelsConfig(AppConfig):
    name = "crowdgame.play.duels"

    def ready(self) -> None:
        from crowdgame.accounts.signals import guest_left, guest_merged, guest_renamed  # noqa: PLC0415
        from crowdgame.play.duels import player_actions, rematch  # noqa: F401, PLC0415  register gateway hooks
        from crowdgame.play.duels.cleanup import clean_up_duels  # noqa: PLC0415
        from crowdgame.play.duels.conditional_picks import forget_plans  # noqa: PLC0415
        from crowdgame.play.duels.guests import leave_games, rename_seats, transfer_games  # noqa: PLC0415
        from crowdgame.play.duels.plan_casting import (  # noqa: PLC0415
            CAST_CONDITIONAL_PICKS,
            drop_plans,
            is_due,
            mark_due,
        )
        from voting.matches import turn_created  # noqa: PLC0415
        from voting.models import Match  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        guest_merged.connect(transfer_games)
        guest_left.connect(leave_games)
        guest_left.connect(forget_plans)
        guest_renamed.connect(rename_seats)
        turn_created.connect(mark_due)
        post_save.connect(drop_plans, sender=Match)
        every_second("conditional picks", DueTask(CAST_CONDITIONAL_PICKS, is_due))
        every_hour("duels nobody joined", lambda: clean_up_duels(settings.DUEL_DAYS))
