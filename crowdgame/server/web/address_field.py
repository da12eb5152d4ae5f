"""The form field of an e-mail address."""

from django import forms

from crowdgame.server.config.email_addresses import validate_address


class AddressField(forms.EmailField):
    default_validators = [validate_address]
