"""What any fitted model can promise: `certify`, `verify`, `draw` and `explain_bounds`, above all learners."""
