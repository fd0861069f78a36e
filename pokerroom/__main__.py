"""`python -m pokerroom` is the command `pokerroom`."""

from pokerroom.cli import main

if __name__ == "__main__":  # a process of `pokerroom audit` imports this module, too
    main()
