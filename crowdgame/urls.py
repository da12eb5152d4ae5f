from django.contrib import admin
from django.urls import include, path

from voting.lockout import Login
from voting.privacy_page import privacy
from voting.record_pages import match_record

urlpatterns = [
    path("console/", include("voting.urls")),
    path("record/<code:code>/<int:number>.json", match_record, name="record"),
    path("privacy", privacy, name="privacy"),
    path("admin/login/", Login.as_view()),  # in place of the admin's own: one way in, and one lock on it
    path("admin/", admin.site.urls),
]
