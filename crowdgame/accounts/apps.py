from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete, post_save


class AccountsConfig(AppConfig):
    name = "crowdgame.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from allauth.usersessions.models import UserSession  # noqa: PLC0415
        from django.contrib.auth.models import User  # noqa: PLC0415

        from crowdgame.accounts import account_changes  # noqa: PLC0415

        post_save.connect(account_changes.publish_edit, User)
        post_delete.connect(account_changes.publish_deletion, User)
        post_delete.connect(account_changes.publish_ended_session, UserSession)
        user_logged_out.connect(account_changes.publish_logout)
