"""
Errors over rejections
======================

The more rows are rejected, the fewer answers are wrong. The curve shows what each classifier has to offer.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import ChowClassifier, ConservativePerceptron, ErrorRejectDisplay

X, y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
careful = ConservativePerceptron(reject_cost=0.2, random_state=0).fit(X[::2], y[::2])
chow = ChowClassifier(make_pipeline(StandardScaler(), LogisticRegression()), reject_cost=0.2).fit(
    X[::2], y[::2]
)

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ErrorRejectDisplay.from_estimator(careful, X[1::2], y[1::2], ax=ax, name="conservative")
ErrorRejectDisplay.from_estimator(chow, X[1::2], y[1::2], ax=ax, name="Chow on logistic regression")
plt.show()
