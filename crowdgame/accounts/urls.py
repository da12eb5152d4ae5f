from django.urls import path

from crowdgame.accounts import views

urlpatterns = [
    path("account", views.account, name="account"),
    path("account/name", views.change_name, name="rename"),
    path("account/password", views.new_password, name="new_password"),
    path("account/delete", views.delete, name="delete_account"),
    path("login", views.log_in, name="guest_login"),
    path("logout", views.log_out, name="guest_logout"),
]
