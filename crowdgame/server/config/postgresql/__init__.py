"""Database backend: Django's PostgreSQL with separate connection pools for pages and gateways."""
