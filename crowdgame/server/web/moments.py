"""Template filters for times: rendered in UTC, and shown in the reader's time zone by `page/moments.js`."""

from datetime import date, datetime

from django import template
from django.template.defaultfilters import date as format_date
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def moment(at: datetime) -> SafeString:
    """Return date and time as a `<time>` element."""
    shown = format_date(at, "DATETIME_FORMAT")
    return format_html('<time datetime="{}" data-moment="short">{} UTC</time>', at.isoformat(), shown)


@register.filter
def long_moment(at: datetime) -> SafeString:
    """Return a time in the next days as a `<time>` element, with the day of the week."""
    shown = format_date(at, "DATETIME_FORMAT")
    return format_html('<time datetime="{}" data-moment="long">{} UTC</time>', at.isoformat(), shown)


@register.filter
def day(at: datetime | date) -> SafeString:
    """Return the date of a time as a `<time>` element. A bare date, of a day in UTC, is not converted."""
    shown = format_date(at, "DATE_FORMAT")
    if isinstance(at, datetime):
        return format_html('<time datetime="{}" data-moment="day">{} UTC</time>', at.isoformat(), shown)
    return format_html('<time datetime="{}">{} UTC</time>', at.isoformat(), shown)
