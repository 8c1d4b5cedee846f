"""The command line by ``python -m maxmargin``."""

from maxmargin.cli import main

if __name__ == "__main__":
    main()
