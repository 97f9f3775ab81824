"""`python -m ludens` is the `ludens` command."""

from ludens.cli import main

if __name__ == "__main__":
    main()
