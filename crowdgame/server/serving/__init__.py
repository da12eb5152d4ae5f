"""Runs a gateway: one process, one listening socket, Daphne or uvicorn, and graceful shutdown."""
