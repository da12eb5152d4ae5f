"""Who may come how far, and what no visitor, page or file can do."""
