"""What a binary perceptron has learned, in plain values that are compared with ==."""


def learned(model):
    return {
        "w": model.coef_[0].tolist(),
        "threshold": model.threshold_,
        "influence": model.influence_.tolist(),
        "neglected": model.neglected_.tolist(),
    }
