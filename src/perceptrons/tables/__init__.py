"""Tables as people have them: read from files, and encoded for learners."""
