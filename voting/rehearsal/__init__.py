"""A rehearsal: a crowd of simulated phones over real WebSockets, knowing only the wire and the rules."""
