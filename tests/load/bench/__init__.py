"""Crowdgame beside a bare echo and beside a stock Channels app, in one run on one machine.

`python -m tests.load.bench --help`; the figures that count are the ratios.
"""
