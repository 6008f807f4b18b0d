"""What was released before, on the side of who holds the true values: the ledger and its accounts."""
