"""`/play/mail`, and the links in mails: to confirm an address, and to stop them (RFC 8058)."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST
from redis import RedisError

from crowdgame.accounts.guest_cookie import guest_of
from crowdgame.accounts.views import AWAY, account_page
from crowdgame.duels.duels import PlayError
from crowdgame.notifications import addresses
from crowdgame.notifications.forms import AddressForm
from crowdgame.notifications.models import Address

GONE = 410


@require_POST
def give_address(request: HttpRequest) -> HttpResponse:
    guest, form = guest_of(request), AddressForm(request.POST)
    if guest is None or not settings.MAIL:
        raise Http404
    if form.is_valid():
        try:
            addresses.give(guest, form.cleaned_data["email"])
            return redirect("account")
        except PlayError as refusal:
            form.add_error("email", str(refusal))
        except RedisError:
            form.add_error("email", AWAY)
    return account_page(request, guest, give=form)


@require_POST
def delete_address(request: HttpRequest) -> HttpResponse:
    if guest := guest_of(request):
        Address.objects.filter(guest=guest).delete()
        messages.success(request, "The address is forgotten. No more mails come.")
    return redirect("account")


@never_cache
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link does nothing yet: mail programs and their guards do that by themselves."""
    address = addresses.to_confirm(token)
    if address and request.method == "POST" and "no" in request.POST:
        link = addresses.link_to_stop(address)
        addresses.stop(address)
        return redirect(link)
    done = bool(address) and request.method == "POST"
    if address and done:
        addresses.confirm(address)
    context = {"guest": guest_of(request), "address": address, "done": done}
    return render(request, "notifications/confirm.html", context, status=200 if address else GONE)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "POST"])
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """One press, or a mail program's own: no login, no cookie. If nothing is left to stop, it says so."""
    if not addresses.is_stop(token):
        raise Http404
    address = addresses.to_stop(token)
    if address and request.method == "POST":
        addresses.stop(address)
        address = None
    return render(request, "notifications/unsubscribe.html", {"guest": guest_of(request), "address": address})
