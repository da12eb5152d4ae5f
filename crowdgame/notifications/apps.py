from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_save

from voting.turns.periodic import every_second


class NotificationsConfig(AppConfig):
    name = "crowdgame.notifications"

    def ready(self) -> None:
        from crowdgame.accounts.signals import guest_left  # noqa: PLC0415
        from crowdgame.notifications import email  # noqa: PLC0415
        from crowdgame.notifications.addresses import remove_address  # noqa: PLC0415
        from voting.models import Turn  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        guest_left.connect(remove_address)
        if settings.EMAIL_ENABLED:
            post_save.connect(email.plan_notifications, sender=Turn)
        every_second("e-mail notifications", DueTask(email.SEND_NOTIFICATIONS, email.is_due))
