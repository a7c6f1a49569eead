"""What pyproject.toml cannot say: looptx's shared Cython module and the manual's pages.

The module holds the C code that all compiled nests have in common. It is optional:
where no compiler is at hand, looptx installs without it and builds it when needed.
"""

import sys
from pathlib import Path

from Cython import __version__ as cython_version
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).resolve().parent))
from looptx.native.compile import shared

NAME = shared.module_name(cython_version)


class BuildShared(build_ext):
    """Lets Cython write the C text just before it is compiled."""

    def build_extension(self, ext: Extension) -> None:
        """Compile ``ext`` from freshly generated text."""
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        ext.sources = [str(shared.generate(folder, NAME))]
        super().build_extension(ext)


setup(
    packages=[*find_packages(include=["looptx", "looptx.*"]), "looptx.pages"],
    package_dir={"looptx.pages": "directives"},
    ext_modules=[
        Extension(
            f"{shared.PACKAGE}.{NAME}",
            sources=[],
            extra_compile_args=[] if sys.platform == "win32" else ["-g0", "-w"],
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildShared},
)
