"""One fit of Parquet files in this process: python -m benchmarks.stream_fit FOLDER"""

import json
import sys
import warnings

from .streams import fit_files

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(fit_files(sys.argv[1])))
