"""LX4xx: reading and writing files."""

from looptx.cli.codes.explanation import Explanation

FILES = {
    "LX401": Explanation(
        meaning="""The file or folder does not exist, or you may not read it.""",
        example="looptx transform no_such_file.py",
        fix="""Check the path and its permissions.""",
    ),
    "LX402": Explanation(
        meaning="""The bytes of the file are no text in the encoding that it declares,
            which is UTF-8 unless a line `# -*- coding: ... -*-` or a byte order mark
            says otherwise. Python could not run it either.""",
        example="looptx transform latin1.py",
        fix="""Save the file as UTF-8, or declare its encoding in the first line.""",
    ),
    "LX403": Explanation(
        meaning="""The file holds something that would not survive being read and
            written again, for example a form feed in front of a statement of an
            annotated function, or lines that end with a carriage return alone. What is
            not annotated must stay byte for byte the same, so the file is not
            written.""",
        example="looptx transform --write form_feed.py",
        fix="""Do what the hint says of the line. What other functions hold is kept as
            it is.""",
    ),
    "LX404": Explanation(
        meaning="""The result cannot be written: the file or its folder is read-only,
            the disk is full, or the file changed after it was read. The file is as it
            was.""",
        example="looptx transform --write read_only.py",
        fix="""Make it writable, or write elsewhere with `-o`.""",
    ),
}
