"""Tables that cannot be read or learned from: what is in the file, and what the error must say."""

BAD_FILES = {  # name: (bytes, message)
    "empty.csv": (b"", "is empty; a table has a line of column names"),
    "blank.csv": (b"\n \n", "is empty"),
    "header_only.csv": (b"a,y\n", "has column names but no rows"),
    "short_row.csv": (b"a,b,y\n1,2,u\n\n3,v\n", "line 4 has 2 cells, but the first line has 3"),
    "long_row.csv": (b"a,y\n1,u,2\n", "line 2 has 3 cells, but the first line has 2"),
    "bytes.csv": (b"a,y\n\0\1\2\3\xff,u\n", "holds bytes that are no text; save it as text in UTF-8"),
    "cut.csv": ("a,y\n1,u\n".encode("utf-16")[:-1], "is not text in utf-16 (truncated data); give another"),
    "damaged.csv.gz": (b"\x1f\x8b and nothing else", "is not a readable gzip file"),
    "damaged.xlsx": (b"PK\3\4 and nothing else", "is not a readable Excel workbook (File is not a zip file)"),
    "damaged.jsonl": (b'{"a": 1, "y"', "is not a readable JSON lines file"),
    "big_cell.csv": (
        b"a,y\n" + b"x" * 10_000_000 + b",u\n",
        "line 2: a cell is longer than 131,072 characters",
    ),
    "big_quoted_cell.csv": (b'a,y\n"' + b"x\n" * 5_000_000, "a cell is longer than 131,072 characters"),
    "twice.csv": (b"a,b,y,a,b\n1,u,2,3,4\n", "names 2 columns 'a'; if it is data, use header=False"),
    "blank_numbers.csv": (b"1,,3\n4,5,6\n", "holds numbers, not column names; use header=False"),
    "numbers.csv": (b"1,2\n3,4\n", "holds numbers, not column names; use header=False"),
    "semicolon.csv": (b"a;y\n1;u;2\n", "has one column only, but it holds ';'; use separator=';'"),
    "tabs.csv": (b"a\ty\n1\tu\t2\n", "use separator='tab'"),
    "blanks.txt": (b" 1 1 a\n 2 1 b\n", "use separator='space'"),
    "open_quote.csv": (b'a,y\n"x,1\n2,3\n', "line 3: a quotation mark is not closed"),
    "quote.csv": (b'a,y\n"x"z,1\n', "line 2: a quotation mark is not closed, or stands inside a quoted cell"),
    "damaged.parquet": (b"PAR1 and nothing else", "is not a readable Parquet file"),
    "empty.parquet": (b"", "is not a readable Parquet file"),
    "damaged.arrow": (b"ARROW1\0\0 and nothing else", "is not a readable Arrow file"),
    "table.xls": (b"PK", "has an unsupported file type; rename it or convert it to one of .csv"),
    "table": (b"a,y\n1,2\n", "has an unsupported file type"),
}
BAD_TARGETS = {
    "other_target.csv": (b"a,Y\n1,u\n2,v\n", "There is no column 'y'; did you mean 'Y'?"),
    "no_target.csv": (b"a,b\n1,u\n2,v\n", "There is no column 'y'; there are 'a', 'b'."),
    "no_labels.csv": (b"a,y\n1,\n2,?\n", "The target 'y' has no value in any row; fill in classes."),
    "ids.csv": (
        b"a,b,y\n" + b"".join(b"%d,9,%d\n" % (i, i % 2) for i in range(30)),
        "There is nothing to learn from: 'a' (counter), 'b' (constant) cannot teach; add columns",
    ),
    "na_labels.csv": (b"a,y\n1,EU\n2,NA\n", "Missing is what is empty or ?, na, n/a, #n/a, <na>, nan, null"),
    "no_values.csv": (b"a,b,y\n?,,u\n,NA,v\n", "nothing to predict from: no cell of 'a', 'b' has a value"),
    "one_class.csv": (b"a,y\n1,u\n2,u\n", "The target 'y' holds one class only, 'u'"),
    "continuous.csv": (
        b"a,y\n" + b"".join(b"%d,%d.5\n" % (i, i) for i in range(30)),
        "predicts classes, but the target 'y' has 30 different numbers",
    ),
    "many_integers.csv": (
        b"a,y\n" + b"".join(b"%d,%d\n" % (i, i % 40) for i in range(80)),
        "the target 'y' has 40 different numbers",
    ),
    "row_names.csv": (
        b"a,y\n" + b"".join(b"%d,name%d\n" % (i, i) for i in range(30)),
        "30 different values in 30 rows: it names rows, not classes",
    ),
    "target_alone.csv": (b"y\nu\nv\n", "The table has no column besides the target 'y'"),
}
