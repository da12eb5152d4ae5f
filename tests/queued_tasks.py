"""Runs the Celery tasks that wait in the broker, in the process of the test."""

from concurrent.futures import ThreadPoolExecutor
from queue import Empty

from django.conf import settings

from crowdgame.celery import app


def run_queued_tasks(name: str) -> int:
    """Run all tasks of this name in the background queue, drop the others, and return how many there were."""
    app.loader.import_default_modules()
    ran = 0
    with (
        ThreadPoolExecutor(1) as thread,  # a task may close the database connections of its thread
        app.connection_for_read() as connection,
        connection.SimpleQueue(settings.BACKGROUND_QUEUE) as queue,
    ):
        while True:
            try:
                message = queue.get(block=False)
            except Empty:
                return ran
            message.ack()
            if message.headers["task"] == name:
                thread.submit(app.tasks[name].apply, args=message.payload[0]).result()
                ran += 1
