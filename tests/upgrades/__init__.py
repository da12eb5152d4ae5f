"""Data of earlier versions, and tests that upgrade it.

A folder per release holds the database in SQLite and PostgreSQL as SQL, and the open turn's ballots. Before a
release, add a folder with `python -m tests.upgrades.write NAME`. Never change an old one.
"""
