from django.urls import path

from crowdgame.ratings.views import ratings

urlpatterns = [
    path("ratings", ratings, name="ratings"),
]
