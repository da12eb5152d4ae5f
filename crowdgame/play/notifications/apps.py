from django.apps import AppConfig
from django.conf import settings

from voting.turns.periodic import every_second


class NotificationsConfig(AppConfig):
    name = "crowdgame.play.notifications"

    def ready(self) -> None:
        from crowdgame.accounts.signals import guest_left  # noqa: PLC0415
        from crowdgame.play.duels.duel_news import player_acted  # noqa: PLC0415
        from crowdgame.play.notifications import email, news, push, vote_news  # noqa: PLC0415
        from crowdgame.play.notifications.addresses import remove_recipients  # noqa: PLC0415
        from voting.matches import match_ended, turn_created  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        guest_left.connect(remove_recipients)
        if settings.EMAIL_ENABLED or settings.PUSH_ENABLED:
            turn_created.connect(news.plan_notifications)
            turn_created.connect(vote_news.plan_vote_news)
            player_acted.connect(news.plan_news)
            match_ended.connect(news.plan_end)
        every_second("e-mail notifications", DueTask(email.SEND_NOTIFICATIONS, email.is_due))
        every_second("push notifications", DueTask(push.SEND_PUSHES, push.is_due))
