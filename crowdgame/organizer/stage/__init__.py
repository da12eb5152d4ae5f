"""The stage: one address for the big screen of a whole event or cup."""
