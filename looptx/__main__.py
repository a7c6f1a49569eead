"""``python -m looptx``: the same as the command ``looptx``."""

from looptx.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
