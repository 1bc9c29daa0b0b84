"""A fitted model and rows become one plain dict, figures drawn from it, and one page that needs nothing
else."""
