"""Benchmarks Crowdgame against a bare echo server and a stock Channels app, in one run on one machine.

`python -m tests.load.bench --help`; the ratios are the meaningful results.
"""
