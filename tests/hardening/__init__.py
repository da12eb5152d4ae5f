"""Security: access rights, sessions, hosts, headers and hostile input."""
