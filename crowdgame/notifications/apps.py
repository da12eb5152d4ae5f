from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_save

from voting.turns.periodic import every_second


class NotificationsConfig(AppConfig):
    name = "crowdgame.notifications"

    def ready(self) -> None:
        from crowdgame.accounts.signals import guest_left  # noqa: PLC0415
        from crowdgame.notifications.addresses import remove_address  # noqa: PLC0415
        from crowdgame.notifications.email import NotificationDispatcher, plan_notifications  # noqa: PLC0415
        from voting.models import Turn  # noqa: PLC0415

        guest_left.connect(remove_address)
        if settings.EMAIL_ENABLED:
            post_save.connect(plan_notifications, sender=Turn)
        every_second("e-mail notifications", NotificationDispatcher())
