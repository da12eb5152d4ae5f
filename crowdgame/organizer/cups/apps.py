from django.apps import AppConfig


class CupsConfig(AppConfig):
    name = "crowdgame.organizer.cups"

    def ready(self) -> None:
        from crowdgame.organizer.cups.cups import is_pairing_over  # noqa: PLC0415
        from voting.matches import series_ends  # noqa: PLC0415

        series_ends.append(is_pairing_over)
