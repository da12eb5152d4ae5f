from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "crowdgame.play.ratings"

    def ready(self) -> None:
        from crowdgame.play.ratings.match_ratings import rate_match  # noqa: PLC0415
        from voting.matches import match_ended  # noqa: PLC0415

        match_ended.connect(rate_match)
