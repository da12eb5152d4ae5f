"""Titles and colors of the admin pages."""

_LIGHTNESS = (98, 95, 90, 82, 70, 55, 38, 32, 28, 24, 19)
_SHADES = ("50", *(str(hundred) for hundred in range(100, 1000, 100)), "950")
_NAVY = {shade: f"oklch({light}% .06 268)" for shade, light in zip(_SHADES, _LIGHTNESS, strict=True)}
ADMIN_THEME = {
    "SITE_TITLE": "Crowdgame data",
    "SITE_HEADER": "Crowdgame",
    "SITE_SUBHEADER": "The data behind the console",
    "SITE_SYMBOL": "groups",
    "SITE_URL": "/console/",
    "COLORS": {"primary": _NAVY},
}
