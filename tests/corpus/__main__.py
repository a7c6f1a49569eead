"""``make corpus``: run every function, compare with CPython, print what is native.

``--write`` records the table that the tests compare with; names of fields choose some.
``--built`` runs what is built ahead of time, for the types that they are given.
"""

from __future__ import annotations

import sys

from corpus import FIELDS
from corpus.built import built
from corpus.running import outcomes
from corpus.table import blocking, record, recorded, shares


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a result is wrong."""
    fields = [one for one in arguments if not one.startswith("-")] or list(FIELDS)
    run = built if "--built" in arguments else outcomes
    table: dict[str, dict[str, str]] = {}
    status = 0
    for field in fields:
        table[field] = {}
        for outcome in run(field):
            table[field][outcome.name] = outcome.ran
            for text in outcome.wrong:
                status = 1
                print(f"WRONG {field}.{text:.300}")
    for field, functions in table.items():
        for name, ran in functions.items():
            print(f"{field}.{name}: {ran}")
    print("", *(f"{len(who):>4}  {why}" for why, who in blocking(table)), sep="\n")
    print("", *shares(table), sep="\n")
    if "--write" in arguments and run is outcomes and not status:
        record({**(recorded() if len(fields) < len(FIELDS) else {}), **table})
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
