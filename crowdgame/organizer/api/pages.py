"""`/console/tokens/`: an organizer's API tokens. `/api/v1/`: what programs can do with them."""

from datetime import timedelta
from typing import Any, cast

import msgspec
from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from crowdgame.events.access import visible_events
from crowdgame.organizer.api.models import NAME_LENGTH, ApiToken
from crowdgame.organizer.api.openapi import openapi
from crowdgame.organizer.api.tokens import create_token

MAX_TOKENS = 50
SCOPE_TEXTS = {"read": _("Read events"), "run": _("Run events"), "create": _("Create events")}
VALID_DAYS = {"30": _("30 days"), "365": _("one year"), "": pgettext_lazy("token", "no limit")}


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=NAME_LENGTH, help_text=_("The audit log shows it after your own name.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("What the program may do"),
        choices=list(SCOPE_TEXTS.items()),
        initial=["read"],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    code = forms.CharField(
        label=_("Code of an event (optional)"),
        required=False,
        help_text=_("Leave empty for all your events."),
    )
    days = forms.ChoiceField(
        label=_("Valid for"),
        choices=list(VALID_DAYS.items()),
        initial="30",
        required=False,
        widget=forms.RadioSelect,
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.label_suffix = ""

    def clean_code(self) -> str:
        code = self.cleaned_data["code"].strip().upper()
        self.event = visible_events(self.user).filter(code=code, fixed_players=False).first()
        if code and self.event is None:
            raise forms.ValidationError(_("You have no event with this code."))
        return str(code)

    def clean(self) -> None:
        super().clean()
        if ApiToken.objects.filter(user=self.user).count() >= MAX_TOKENS:
            raise forms.ValidationError(_("You have too many tokens. Revoke one first."))

    def create(self) -> str:
        days = self.cleaned_data["days"]
        expires_at = timezone.now() + timedelta(days=int(days)) if days else None
        return create_token(
            self.user, self.cleaned_data["name"], self.cleaned_data["scopes"], self.event, expires_at
        )


@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens, create one and show it once, or revoke one."""
    user = cast(User, request.user)
    if request.POST.get("revoke", "").isdecimal():
        ApiToken.objects.filter(user=user, pk=request.POST["revoke"]).delete()
        messages.success(request, _("The token no longer works."))
        return redirect("console:api_tokens")
    form = TokenForm(user, request.POST if request.method == "POST" else None)
    token = ""
    if form.is_valid():
        token, form = form.create(), TokenForm(user)
    held = ApiToken.objects.filter(user=user).select_related("event").order_by("-pk")
    rows = [(one, [SCOPE_TEXTS[scope] for scope in one.scopes]) for one in held]
    page = {"form": form, "token": token, "rows": rows, "now": timezone.now()}
    return render(request, "api/tokens.html", page, status=400 if form.errors else 200)


@require_safe
def document_page(request: HttpRequest) -> HttpResponse:
    """Show the operations with their arguments, as in the OpenAPI document, and let people try them."""
    document = msgspec.json.decode(openapi())
    schemas = document["components"]["schemas"]
    operations = [
        {"method": method.upper(), "path": f"/api/v1{path}", "fields": _fields(one, schemas)}
        | {"name": one["operationId"], "summary": one["summary"], "needs": one["description"]}
        | {"parameters": one["parameters"], "has_body": "requestBody" in one}
        for path, known in document["paths"].items()
        for method, one in known.items()
    ]
    address = request.build_absolute_uri("/api/v1/")
    return render(request, "api/document.html", {"operations": operations, "address": address})


def _fields(operation: dict[str, Any], schemas: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The arguments of an operation: name, type and description."""
    fields = {
        one["name"]: one["schema"] | {"description": one.get("description", "")}
        for one in operation["parameters"]
    }
    if body := operation.get("requestBody"):
        reference = body["content"]["application/json"]["schema"]["$ref"]
        fields |= schemas[reference.rpartition("/")[2]].get("properties", {})
    return [(name, _type_of(schema), schema.get("description", "")) for name, schema in fields.items()]


def _type_of(schema: dict[str, Any]) -> str:
    """A short description of a JSON schema: "integer, 3 to 86400", or the values."""
    if "anyOf" in schema:
        return " | ".join(_type_of(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join("null" if value is None else str(value) for value in schema["enum"])
    kind = str(schema.get("type", "object"))
    least, most = schema.get("minimum"), schema.get("maximum")
    return f"{kind}, {least} to {most}" if least is not None and most is not None else kind
