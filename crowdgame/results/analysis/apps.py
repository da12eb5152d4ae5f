from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "crowdgame.results.analysis"

    def ready(self) -> None:
        from crowdgame.results.analysis.stored_analyses import load_announced_analysis  # noqa: PLC0415
        from voting.announcements.snapshots import provide_analyses  # noqa: PLC0415

        provide_analyses(load_announced_analysis)
