from django.apps import AppConfig
from django.conf import settings

from voting.turns.periodic import every_hour


class ChatConfig(AppConfig):
    name = "crowdgame.play.chat"

    def ready(self) -> None:
        from crowdgame.accounts.signals import guest_left  # noqa: PLC0415
        from crowdgame.play.chat.retention import forget_guest, purge_chat  # noqa: PLC0415

        guest_left.connect(forget_guest)
        every_hour("chat messages", lambda: purge_chat(settings.CHAT_DAYS))
