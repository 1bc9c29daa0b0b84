"""What a binary perceptron has learnt, in plain values that are compared with ==."""


def learnt(model):
    return {
        "w": model.coef_[0].tolist(),
        "threshold": model.threshold_,
        "influence": model.influence_.tolist(),
        "neglected": model.neglected_.tolist(),
    }
