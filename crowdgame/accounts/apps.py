from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import post_delete, post_save, pre_delete


class AccountsConfig(AppConfig):
    name = "crowdgame.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from allauth.usersessions.models import UserSession  # noqa: PLC0415
        from django.contrib.auth.models import User  # noqa: PLC0415

        from crowdgame.accounts import account_changes, guest_sessions  # noqa: PLC0415

        post_save.connect(account_changes.publish_edit, User)
        post_delete.connect(account_changes.publish_deletion, User)
        post_delete.connect(account_changes.publish_ended_session, UserSession)
        pre_delete.connect(account_changes.forget_player, User)
        user_logged_in.connect(guest_sessions.receive_login)
        user_logged_out.connect(account_changes.publish_logout)
