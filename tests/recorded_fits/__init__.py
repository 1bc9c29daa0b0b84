"""The same models as before, bit for bit:  python -m tests.recorded_fits [--record]

Each estimator is fitted to fixed rows with fixed settings, and a digest of all that the fit left behind is
compared with the one kept in `digests.json`. Sums of whole numbers are the same on every machine; those
cases are part of the test suite. The others depend on the width of the machine's registers, so that they
are compared by this command alone, between two commits on one machine. An issue that changes models on
purpose records them anew and says why.
"""
