from django.urls import path

from crowdgame.play.notifications import views

urlpatterns = [
    path("mail", views.add_address, name="add_address"),
    path("mail/delete", views.delete_address, name="delete_address"),
    path("mail/<code:code>", views.add_voter_address, name="add_voter_address"),
    path("push", views.change_guest_device, name="change_guest_device"),
    path("push/<code:code>", views.change_voter_device, name="change_voter_device"),
    path("confirm/<str:token>", views.confirm_address, name="confirm_address"),
    path("stop/<str:token>", views.unsubscribe, name="unsubscribe"),
]
