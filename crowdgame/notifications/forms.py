"""The form of a guest's e-mail address."""

from django import forms


class AddressForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"invalid": "Enter a valid e-mail address."},
    )
