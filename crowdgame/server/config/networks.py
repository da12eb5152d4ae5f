"""Networks of clients, for limits that one network cannot use up for all others."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

PREFIX_LENGTHS = {4: 24, 6: 56}


def read_address(address: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address, or None if it is not one. An IPv4-mapped IPv6 address becomes IPv4."""
    try:
        client = ip_address(address)
    except ValueError:
        return None
    return (client.ipv4_mapped or client) if isinstance(client, IPv6Address) else client


def network_of(client: IPv4Address | IPv6Address) -> IPv4Network | IPv6Network:
    """Return the client's /24 (IPv4) or /56 (IPv6)."""
    return ip_network((client, PREFIX_LENGTHS[client.version]), strict=False)


@lru_cache(1024)
def network_name(address: str) -> str:
    """Return the network of an address as text. All that are not IP addresses are in one network."""
    client = read_address(address)
    return str(network_of(client)) if client else ""
