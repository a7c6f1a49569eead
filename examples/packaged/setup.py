"""The native part of the package; everything else is in pyproject.toml."""

from setuptools import setup

from looptx.build import BuildExt, extensions

setup(
    ext_modules=extensions("src/heat/plate.py"),
    cmdclass={"build_ext": BuildExt},
)
