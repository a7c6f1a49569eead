"""The native part of the package; everything else is in pyproject.toml."""

from looptx.build import BuildExt, extensions
from setuptools import setup

setup(
    ext_modules=extensions("src/heat/plate.py"),
    cmdclass={"build_ext": BuildExt},
)
