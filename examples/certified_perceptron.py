"""Tell threes from eights, and prove how well: python examples/certified_perceptron.py

Trains on scikit-learn's embedded digits (357 images of 8×8 pixels) until the margin is certified to be
within 5 % of the best any hyperplane can have, then rechecks the certificate from the data alone.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score

from perceptrons import Perceptron, verify


def main() -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    model = Perceptron(order="worst", tol=0.05, max_epochs=10_000)
    accuracy = cross_val_score(model, X, y)
    certificate = model.fit(X, y).certificate_
    verify(certificate, model, X, y)

    print(f"{len(y)} images, {X.shape[1]} pixels; converged: {model.converged_}")
    print(f"training errors            {certificate.n_errors}")
    print(f"accuracy, 5-fold           {accuracy.mean():.3f} ± {accuracy.std():.3f}")
    print(f"best margin lies in        [{certificate.margin:.3f}, {certificate.margin_bound:.3f}]")
    print(f"corrections made           {certificate.n_updates}")
    print(f"the model is a sum of      {certificate.compression_size} images")
    print("certificate rechecked from rows, weights and duals: it holds")


if __name__ == "__main__":
    main()
