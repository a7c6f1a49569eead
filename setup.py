"""What pyproject.toml cannot say: the manual's pages are a package beside the code."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["looptx", "looptx.*"]), "looptx.pages"],
    package_dir={"looptx.pages": "directives"},
)
