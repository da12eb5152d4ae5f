from django.urls import path

from crowdgame.notifications import views

urlpatterns = [
    path("mail", views.give_address, name="give_address"),
    path("mail/delete", views.delete_address, name="delete_address"),
    path("confirm/<str:token>", views.confirm, name="confirm_address"),
    path("stop/<str:token>", views.stop, name="stop_mails"),
]
