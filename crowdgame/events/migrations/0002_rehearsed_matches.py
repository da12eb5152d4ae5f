"""Mark the matches that simulated crowds have played, which the audit log alone told before."""

from django.db import migrations

STARTED, STOPPED = 'rehearsal.start', 'rehearsal.stop'
LONGEST_MS = 30 * 60 * 1000


def mark_rehearsed_matches(apps, schema_editor):
    """A crowd played the match that was live when it came, or else the next one until it left."""
    actions = {}
    found = apps.get_model('events', 'AuditEntry').objects.filter(action__in=[STARTED, STOPPED])
    for event_id, action, at in found.order_by('at', 'pk').values_list('event_id', 'action', 'at'):
        actions.setdefault(event_id, []).append((action, at))
    matches = apps.get_model('voting', 'Match').objects
    for event_id, taken in actions.items():
        for place, (action, came) in enumerate(taken):
            if action == STARTED:
                stops = [at for later, at in taken[place:] if later == STOPPED]
                left = min([came + LONGEST_MS, *stops])
                played = matches.filter(event=event_id, started_at__lt=left).exclude(ended_at__lte=came)
                first = played.order_by('number').first()
                if first is not None:
                    matches.filter(pk=first.pk).update(rehearsed=True)


class Migration(migrations.Migration):

    dependencies = [
        ('events', '0001_initial'),
        ('voting', '0008_rehearsed'),
    ]

    operations = [
        migrations.RunPython(mark_rehearsed_matches, migrations.RunPython.noop),
    ]
