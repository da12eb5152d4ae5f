from django.urls import path

from crowdgame.accounts import views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/name", views.change_name, name="rename"),
    path("login", views.GuestLoginView.as_view(), name="guest_login"),
]
