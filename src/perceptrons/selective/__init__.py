"""Classifiers around classifiers that reject until they can promise, or pass rows on."""
