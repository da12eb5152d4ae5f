from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db.models.signals import post_delete, post_save, pre_delete

from voting.turns.periodic import every_second


class AccountsConfig(AppConfig):
    name = "crowdgame.accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from allauth.account.models import EmailAddress  # noqa: PLC0415
        from allauth.usersessions.models import UserSession  # noqa: PLC0415
        from django.contrib.auth.models import User  # noqa: PLC0415

        from crowdgame.accounts import account_changes, account_language, guest_sessions, queued_mail  # noqa: PLC0415
        from crowdgame.server.config.email_addresses import validate_address  # noqa: PLC0415
        from voting.turns.tasks import DueTask  # noqa: PLC0415

        for model in (User, EmailAddress):  # for the administration and `createsuperuser`
            model._meta.get_field("email").validators.append(validate_address)
        post_save.connect(account_changes.publish_edit, User)
        post_delete.connect(account_changes.publish_deletion, User)
        post_delete.connect(account_changes.publish_ended_session, UserSession)
        pre_delete.connect(account_changes.forget_person, User)
        user_logged_in.connect(account_language.receive_login)
        user_logged_in.connect(guest_sessions.receive_login)
        user_logged_out.connect(account_changes.publish_logout)
        every_second("e-mails about accounts", DueTask(queued_mail.SEND_MAIL, queued_mail.is_due))
