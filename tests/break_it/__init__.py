"""Break a line, see a test fail:  python -m tests.break_it [--few] [ROOM ...]

Each room has a list of edits, `<room>.txt`, a line each:

    module | what it says | what it shall say | tests that must notice [| marks]

An edit is made in a copy of the sources and its tests are run there. One that no test notices is printed as
SURVIVED and makes the command fail: a line nobody guards. Marks: `compiled` (else the JIT is off: nothing to
compile, each try takes seconds), `few` (continuous integration tries it).
"""
