#!/usr/bin/env python
"""The command `crowdgame` of this clone: Django's command line, and `play`."""

from crowdgame.__main__ import main

if __name__ == "__main__":
    main()
