"""What pyproject.toml cannot say: the manual's pages are a package beside the code.

An editable installation puts this folder on the path. The finder that setuptools makes
by default is asked too late: Python takes a folder of this name, which a clone is, for
a namespace package when a script or an interpreter is started beside it.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["looptx", "looptx.*"]), "looptx.pages"],
    package_dir={"looptx.pages": "directives"},
    options={"editable_wheel": {"mode": "compat"}},
)
