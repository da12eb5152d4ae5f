"""Run a real OpenID Connect provider with two people, one of whom has the address of somebody else."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from crowdgame.server.laptop.network import LOOPBACK, wait_for_http
from crowdgame.server.laptop.paths import ROOT

CLIENT_ID, CLIENT_SECRET = "crowdgame", "of the client"
PEOPLE_PY = """
import sys
import django
django.setup()
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Client
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
redirect, client_id, secret, password, *people = sys.argv[1:]
Client.objects.create(
    id=client_id, name="Crowdgame", secret=make_password(secret), redirect_uris=redirect,
    scopes="openid\\nprofile\\nemail", skip_consent=True,
)
for person in people:
    name, email, verified = person.split(",")
    user = User.objects.create_user(name, email, password)
    EmailAddress.objects.create(user=user, email=email, verified=verified == "verified", primary=True)
"""


@contextmanager
def running_provider(folder: Path, port: int, redirect: str, password: str, *people: str) -> Iterator[None]:
    """Run the provider. `people` are "name,email,verified" or "name,email,unverified"."""
    key = generate_private_key(65537, 2048)
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.e2e.accounts.provider_settings",
        "PROVIDER_DATABASE": str(folder / "provider.sqlite3"),
        "PROVIDER_KEY": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
    }
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--verbosity", "0"], env=env, cwd=ROOT, check=True
    )
    make_people = [sys.executable, "-c", PEOPLE_PY, redirect, CLIENT_ID, CLIENT_SECRET, password, *people]
    subprocess.run(make_people, env=env, cwd=ROOT, check=True)
    serve = [sys.executable, "-m", "django", "runserver", "--noreload", f"{LOOPBACK}:{port}"]
    with (folder / "provider.log").open("w") as log:
        process = subprocess.Popen(serve, env=env, cwd=ROOT, stdout=log, stderr=log)
    try:
        assert wait_for_http(LOOPBACK, port, 30)
        yield
    finally:
        process.terminate()
        process.wait(10)
