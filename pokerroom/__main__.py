"""`python -m pokerroom` is the command `pokerroom`."""

from pokerroom.cli import main

main()
