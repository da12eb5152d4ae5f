from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "crowdgame.accounts"
    verbose_name = "Accounts"
