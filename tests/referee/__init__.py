"""An independent referee of rooms: see README.md here."""
