"""Nonsense for the sockets: valid messages spoilt in every way we could think of, from a seed."""
