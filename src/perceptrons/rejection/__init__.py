"""What classifiers that may reject a row share: costs, labels, metrics, pictures."""
