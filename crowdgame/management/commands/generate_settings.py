"""`manage.py generate_settings`: write or check the references of environment variables and of alerts."""

from typing import ClassVar

from crowdgame.server.config.environment import render
from crowdgame.server.monitoring.alerts import render_page, render_rules
from voting.management.commands.generate_protocol import Command as GenerateCommand


class Command(GenerateCommand):
    help = "Write the references of environment variables and of alerts, and the rules of Prometheus."
    targets: ClassVar = {
        "docs/generated/settings.md": render,
        "docs/generated/alerts.md": render_page,
        "deploy/grafana/alerts.yaml": render_rules,
    }
