"""Login: limits on attempts, and the OpenID Connect provider of a school or company."""

from typing import Any

from crowdgame.server.config import environment as env

# Limits per account or e-mail address, never per network address: a venue shares one. Wrong passwords
# lock an account for a while. Everything else waits in `crowdgame.server.web.page_queue`.
RATE_LIMITS = {
    "login": None,
    "login_failed": "10/15m/key",
    "signup": None,
    "change_password": "10/m/user",
    "change_phone": "1/m/user",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
    "reset_password": "5/h/key",
    "reset_password_from_key": None,
    "request_login_code": "3/m/key",
    "confirm_email": "3/3m/key",
    "verify_phone": "1/30s/key",
}


def provider_apps(url: str, name: str | None) -> list[dict[str, Any]]:
    """Return the provider at this address as an app of allauth; none if the address is empty."""
    app = {
        "provider_id": "oidc",
        "name": name,
        "client_id": env.OpenId.OIDC_CLIENT_ID,
        "secret": env.OpenId.OIDC_CLIENT_SECRET,
        "settings": {"server_url": url, "email_authentication": env.OpenId.OIDC_TRUST_EMAIL},
    }
    return [app] if url else []
