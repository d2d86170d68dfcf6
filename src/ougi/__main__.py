"""`python -m ougi`: the command line, where its script is not on the path."""

from ougi.cli.entry import main

if __name__ == "__main__":
    main()
