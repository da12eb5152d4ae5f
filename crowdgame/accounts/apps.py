from django.apps import AppConfig
from django.db.models.signals import post_delete, post_save


class AccountsConfig(AppConfig):
    name = "crowdgame.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from django.contrib.auth.models import User  # noqa: PLC0415

        from crowdgame.accounts.account_changes import publish_deletion, publish_edit  # noqa: PLC0415

        post_save.connect(publish_edit, User)
        post_delete.connect(publish_deletion, User)
