"""How a gateway is run: one process, one listening socket, Daphne or uvicorn, and an orderly end."""
