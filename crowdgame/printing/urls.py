"""Public URL patterns of the printable pages."""

from django.urls import path

from crowdgame.printing.views import about, rules

urlpatterns = [
    path("rules", rules, name="rules"),
    path("about", about, name="about"),
]
