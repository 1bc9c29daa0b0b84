"""`perceptrons play`: a local page that shows how perceptrons learn."""

from typing import Annotated

import typer


def play(
    port: Annotated[
        int,
        typer.Option("--port", help="The port.", min=0, max=65535, metavar="N", show_default="a free one"),
    ] = 0,
    host: Annotated[
        str,
        typer.Option("--host", help="The address to listen at; others than this machine's need a token."),
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
) -> None:
    """Open a page in your browser that shows perceptrons learning.

    Pattern space and weight space side by side, row by row, on lessons or on rows of your own. The page is
    served to this machine alone; it keeps nothing and sends nothing elsewhere. Ctrl-C stops it.

    \b
    Example: perceptrons play
    """
    from ..play.serve import serve

    serve(host, port, not no_open, lambda text: print(text, flush=True))
