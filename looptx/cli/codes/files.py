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
            written again, for example a form feed before the first statement or lines
            that end in different ways. What is not annotated must stay byte for byte
            the same, so the file is not written.""",
        example="looptx transform --write mixed_newlines.py",
        fix="""Make the line ends uniform and remove form feeds; most editors do so when
            they save.""",
    ),
    "LX404": Explanation(
        meaning="""The result cannot be written: the file or its folder is read-only,
            the disk is full, or the file changed after it was read. The file is as it
            was.""",
        example="looptx transform --write read_only.py",
        fix="""Make it writable, or write elsewhere with `-o`.""",
    ),
}
