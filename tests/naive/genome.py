"""Windows of a genome, one base at a time.

Rows of the annotation are (kind, first, last, strand, phase, pseudo) as GFF3 counts: from 1, the last base
included."""

OTHER = {"a": "t", "c": "g", "g": "c", "t": "a"}


def bases_of(row):
    """The places (from 0) that a row covers, in the direction of reading."""
    _, first, last, strand, *_ = row
    forward = list(range(first - 1, last))
    return forward if strand == "+" else forward[::-1]


def text(sequence, places, strand):
    return "".join(sequence[place] if strand == "+" else OTHER[sequence[place]] for place in places)


def coding(sequence, rows, width):
    """{(lowest place, strand): spelling} of the windows in frame."""
    found = {}
    for row in rows:
        kind, _, _, strand, phase, pseudo = row
        places = bases_of(row)[phase:] if kind == "CDS" and not pseudo else []
        while len(places) >= width:
            window, places = places[:width], places[width:]
            found[min(window), strand] = text(sequence, window, strand)
    return found


def noncoding(sequence, rows, width, passed_over):
    """{lowest place: spellings on either strand} of the windows outside every row."""
    taken = {place for row in rows if row[0] not in passed_over for place in bases_of(row)}
    found, window = {}, []
    for place in range(len(sequence)):
        window = [] if place in taken else [*window, place]
        if len(window) == width:
            found[window[0]] = {"+": text(sequence, window, "+"), "-": text(sequence, window[::-1], "-")}
            window = []
    return found


def region(start, width, n_bases, n_regions):
    """Which of the equal parts holds the window; None if it crosses a border."""
    for part in range(n_regions):
        if part * n_bases // n_regions <= start and start + width <= (part + 1) * n_bases // n_regions:
            return part
    return None
