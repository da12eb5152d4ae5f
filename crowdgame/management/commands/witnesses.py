"""`crowdgame witnesses`: accept, list and remove the witnesses of this server's transparency log."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from voting.models import LogWitness
from voting.transparency.log import load_log
from voting.transparency.log_reader import SCHEMES
from voting.transparency.notes import ED25519, InvalidNote, parse_verifier_key


class Command(BaseCommand):
    help = "Accept, list and remove the witnesses of the transparency log."

    def add_arguments(self, parser: CommandParser) -> None:
        steps = parser.add_subparsers(dest="step", required=True)
        steps.add_parser("list", help="list the witnesses and how much of the log each has cosigned")
        add = steps.add_parser("add", help="accept the cosignatures of a witness")
        remove = steps.add_parser("remove", help="forget a witness and its cosignatures")
        add.add_argument("--url", default="", help="where the witness waits for checkpoints (--listen)")
        for step in (add, remove):
            step.add_argument("vkey", help="the verifier key that `crowdgame witness` prints")

    def handle(self, *args: Any, step: str, vkey: str = "", url: str = "", **options: Any) -> None:
        if step == "add":
            _check(vkey, url)
            LogWitness.objects.update_or_create(key=vkey, defaults={"url": url})
        elif step == "remove" and not LogWitness.objects.filter(key=vkey).delete()[0]:
            raise CommandError("There is no such witness.")
        elif step == "list":
            self.stdout.write(f"The log has {load_log().checkpoint.size} entries.")
            for witness in LogWitness.objects.order_by("pk"):
                self.stdout.write(f"{witness}: {witness.size or 0} cosigned. {witness.url} {witness.key}")


def _check(vkey: str, url: str) -> None:
    try:
        key = parse_verifier_key(vkey)
    except InvalidNote as error:
        raise CommandError(f"{error}") from error
    if key.kind == ED25519:
        raise CommandError("This is the key of a log, not of a witness.")
    if url and not url.startswith(SCHEMES):
        raise CommandError("The address begins with http:// or https://.")
