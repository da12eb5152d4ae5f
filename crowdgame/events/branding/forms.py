"""Form of an event's brand."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crowdgame.events.branding.brands import Brand
from crowdgame.events.branding.colors import (
    DARK,
    DEFAULT_COLORS,
    MIN_CONTRAST,
    MIN_DISTANCE,
    contrast,
    distance,
    is_visible,
    nearest_allowed,
)
from crowdgame.events.branding.logos import LogoRefused, reencode
from crowdgame.events.event_texts import NameField
from voting.models.event import BRAND_LINE_LENGTH

COLOR_FIELDS = ("color_1", "color_2")


class ColorField(forms.RegexField):
    """A color as `#rrggbb`. A side's own color is stored as an empty string."""

    widget = forms.TextInput({"type": "color"})

    def __init__(self, **options: Any) -> None:
        super().__init__(regex=r"\A#[0-9a-f]{6}\Z", **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).lower()


class BrandForm(forms.Form):
    color_1 = ColorField(label=_("Color of the first team"))
    color_2 = ColorField(label=_("Color of the second team"))
    logo = forms.FileField(
        label=_("Logo"),
        required=False,
        widget=forms.FileInput({"accept": ".png,.jpg,.jpeg,.webp"}),
        help_text=_("PNG, JPEG or WebP, at most 1 MB."),
    )
    no_logo = forms.BooleanField(label=_("Remove the logo"), required=False)
    brand_line = NameField(
        label=_("Sponsor line"),
        required=False,
        max_length=BRAND_LINE_LENGTH,
        help_text=_("For example the name of a sponsor or host."),
    )

    def __init__(self, data: Any, files: Any, brand: Brand) -> None:
        self._brand = brand
        colors = (brand.color_1 or DEFAULT_COLORS[0], brand.color_2 or DEFAULT_COLORS[1])
        shown = dict(zip(COLOR_FIELDS, colors, strict=True)) | {"brand_line": brand.brand_line}
        super().__init__(data, files, initial=shown, label_suffix="")
        if not brand.logo:
            del self.fields["no_logo"]

    def clean_logo(self) -> bytes | None:
        """Return the re-encoded picture. None: no file was chosen."""
        file = self.cleaned_data["logo"]
        try:
            return reencode(file.name or "", file.read()) if file else None
        except LogoRefused as refused:
            raise forms.ValidationError(str(refused.args[0])) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        colors = [cleaned[name] for name in COLOR_FIELDS if name in cleaned]
        if len(colors) == len(COLOR_FIELDS):
            self._check_colors(colors)
        return cleaned

    def _check_colors(self, colors: list[str]) -> None:
        own = [color != usual for color, usual in zip(colors, DEFAULT_COLORS, strict=True)]
        for name, color, is_own, other in zip(COLOR_FIELDS, colors, own, colors[::-1], strict=True):
            if is_own and not is_visible(color):
                is_dark = contrast(color, DARK) < MIN_CONTRAST
                dark, bright = gettext("Too dark for the big screen."), gettext("Too bright for light pages.")
                self._add_color_error(name, dark if is_dark else bright, color, other)
        if not self.errors and distance(*colors) < MIN_DISTANCE:
            text = gettext("Color-blind people can't tell both colors apart.")
            self._add_color_error(COLOR_FIELDS[own[1]], text, colors[own[1]], colors[not own[1]])

    def _add_color_error(self, name: str, text: str, color: str, other: str) -> None:
        nearest = gettext("Nearest allowed color: %(color)s") % {"color": nearest_allowed(color, other)}
        self.add_error(name, f"{text} {nearest}")

    def brand(self, logo: str) -> Brand:
        """Return what the form says. `logo` is the key of the uploaded picture, if there is one."""
        kept = "" if self.cleaned_data.get("no_logo") else self._brand.logo
        chosen = zip(COLOR_FIELDS, DEFAULT_COLORS, strict=True)
        own = {name: self.cleaned_data[name] for name, usual in chosen if self.cleaned_data[name] != usual}
        return Brand(**own, logo=logo or kept, brand_line=self.cleaned_data["brand_line"])
