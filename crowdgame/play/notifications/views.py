"""`/play/mail`, `/play/push`, and links in mails: confirm an address, unsubscribe in one click (RFC 8058)."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from crowdgame.accounts.guest_cookie import current_guest
from crowdgame.accounts.views import account_page
from crowdgame.play.duels.duels import PlayError
from crowdgame.play.notifications import addresses, devices
from crowdgame.play.notifications.forms import AddressForm, SeatForm, SubscriptionForm, VoterAddressForm
from crowdgame.play.notifications.models import EmailAddress
from crowdgame.server.web.errors import show_refusal
from voting.admission.seats import Seat, read_seat
from voting.models import Event
from voting.terms import MatchState


@require_POST
def add_address(request: HttpRequest) -> HttpResponse:
    guest, form = current_guest(request), AddressForm(request.POST)
    if guest is None or not settings.EMAIL_ENABLED:
        raise Http404
    if form.is_valid():
        with show_refusal(form, "email", PlayError):
            addresses.add_address(guest, form.cleaned_data["email"])
            return redirect("account")
    return account_page(request, guest, add_address=form)


@require_http_methods(["GET", "POST"])
def add_voter_address(request: HttpRequest, code: str) -> HttpResponse:
    """A voter of an event with long windows asks for a notification whenever a vote opens."""
    event = _find_event(code)
    form = VoterAddressForm((settings.EMAIL_ENABLED and request.POST) or None)
    context = {"guest": current_guest(request), "event": event, "form": form}
    if form.is_valid():
        with show_refusal(form, "email", PlayError):
            email, time_zone = form.cleaned_data["email"], form.cleaned_data["time_zone"]
            addresses.add_voter_address(_read_seat(event, form), email, time_zone)
            return render(request, "notifications/vote_mail.html", context | {"sent_to": email})
    return render(request, "notifications/vote_mail.html", context, status=400 if form.errors else 200)


@require_POST
def change_voter_device(request: HttpRequest, code: str) -> HttpResponse:
    event, form = _find_event(code), SeatForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest()
    try:
        seat = _read_seat(event, form)
        owner = {"event": event, "voter": seat.voter}
        details = {"team": seat.team, "time_zone": form.cleaned_data["time_zone"]}
        return _change_device(request, owner, details)
    except PlayError as refusal:
        return HttpResponseBadRequest(str(refusal), content_type="text/plain")


@require_POST
def change_guest_device(request: HttpRequest) -> HttpResponse:
    guest = current_guest(request)
    if guest is None:
        raise Http404
    return _change_device(request, {"guest": guest}, {})


def _change_device(request: HttpRequest, owner: dict[str, Any], details: dict[str, Any]) -> HttpResponse:
    """Add the push subscription of the owner's device, or remove it."""
    form = SubscriptionForm(request.POST)
    if "stop" in request.POST:
        devices.remove_device(request.POST.get("endpoint", ""))
    elif settings.PUSH_ENABLED and form.is_valid():
        devices.add_device(owner, form.cleaned_data, **details)
    else:
        return HttpResponseBadRequest()
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def _find_event(code: str) -> Event:
    """Raises Http404 unless the event has long windows and notifies voters."""
    event = get_object_or_404(Event, code=code)
    live = event.matches.filter(state=MatchState.PLAYING).first()
    if not (settings.EMAIL_ENABLED or settings.PUSH_ENABLED) or not (live or event).has_long_windows:
        raise Http404
    return event


def _read_seat(event: Event, form: SeatForm) -> Seat:
    """Raises PlayError without a seat at the event."""
    seat = read_seat(form.cleaned_data["seat"])
    if seat is None or seat.event_id != event.pk:
        raise PlayError(_("Open this page in the browser in which you vote."))
    return seat


@require_POST
def delete_address(request: HttpRequest) -> HttpResponse:
    if guest := current_guest(request):
        EmailAddress.objects.filter(guest=guest).delete()
        messages.success(request, _("Address deleted. You won't receive any more e-mails."))
    return redirect("account")


@require_http_methods(["GET", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button; only its POST confirms. Mail scanners and link previews open links by themselves."""
    address = addresses.find_to_confirm(token)
    if address and request.method == "POST" and "no" in request.POST:
        link = addresses.unsubscribe_link(address)
        address.delete()
        return redirect(link)
    done = bool(address) and request.method == "POST"
    if address and done:
        addresses.confirm_address(address)
    context = {"guest": current_guest(request), "address": address, "done": done}
    return render(
        request, "notifications/confirm.html", context, status=HTTPStatus.OK if address else HTTPStatus.GONE
    )


@csrf_exempt
@require_http_methods(["GET", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe in one click, or by the mail client's own button (RFC 8058). Needs no login and no cookie.

    An address that is already deleted shows the same page. Raises Http404 for an invalid token.
    """
    if not addresses.is_unsubscribe_token(token):
        raise Http404
    address = addresses.find_to_unsubscribe(token)
    if address and request.method == "POST":
        address.delete()
        address = None
    return render(
        request, "notifications/unsubscribe.html", {"guest": current_guest(request), "address": address}
    )
