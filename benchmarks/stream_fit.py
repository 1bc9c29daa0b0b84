"""One fit of Parquet files in this process: python -m benchmarks.stream_fit FOLDER [LEARNER]"""

import json
import sys
import warnings

from .stream_memory import PERCEPTRON, fit_files

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folder, name = [*sys.argv[1:], PERCEPTRON][:2]
    print(json.dumps(fit_files(folder, name)))
