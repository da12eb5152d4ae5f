"""What the product is measured against: a vote as the documentation of Channels teaches to write it."""
