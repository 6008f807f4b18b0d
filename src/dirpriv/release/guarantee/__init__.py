"""What a released file guarantees: its columns, its file beside it, and its words."""
