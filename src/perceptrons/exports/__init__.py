"""Fitted models as programs for other places: ONNX, C, SQL, Python without dependencies."""
