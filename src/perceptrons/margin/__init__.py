"""Room: the margin family (Honavar's chapter; Moran, Nachum, Panasoff and Yehudayoff, Section 2)."""
