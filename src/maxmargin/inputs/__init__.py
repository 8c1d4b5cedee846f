"""The one door: whatever comes in is checked and made plain here."""
