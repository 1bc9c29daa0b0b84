"""`python -m perceptrons` is the command `perceptrons`."""

from .cli import main

if __name__ == "__main__":
    main()
