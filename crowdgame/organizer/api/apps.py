from django.apps import AppConfig

from voting.turns.periodic import every_hour, every_second


class ApiConfig(AppConfig):
    name = "crowdgame.organizer.api"

    def ready(self) -> None:
        from crowdgame.organizer.api import webhook_delivery  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        task = DueTask(webhook_delivery.SEND_DELIVERIES, webhook_delivery.is_due, interval_s=1.0)
        every_second("webhooks", task)
        every_hour("webhook deliveries", webhook_delivery.purge_deliveries)
