"""``looptx transform`` as a codemod of libcst, for pipelines that run those::

python -m libcst.tool codemod -x looptx.codemod.Transform PATH
"""

from __future__ import annotations

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext

from looptx.cli.text import transform_text


class Transform(CodemodCommand):
    """Carries out the directives of a module.

    Args:
        context: of libcst; says which file it is.
        validate: run each function and its rewritten form on symbols, too.
        strict: rewritten loops that never ran while they were validated are an error.
    """

    DESCRIPTION = "Prove the looptx directives of a module, and rewrite its loops."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The options of ``looptx transform`` that concern one module."""
        arg_parser.add_argument("--validate", action="store_true")
        arg_parser.add_argument("--strict", action="store_true")

    def __init__(
        self, context: CodemodContext, validate: bool = False, strict: bool = False
    ) -> None:
        super().__init__(context)
        self.validate = validate or strict
        self.strict = strict

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module with its annotated nests rewritten.

        Raises:
            LooptxError: a directive is malformed, refused or unknown; the others that
                are wrong in the module are warnings.
        """
        result = transform_text(
            tree.code,
            self.context.filename or "<module>",
            validate=self.validate,
            strict=self.strict,
        )
        for error in result.errors[1:]:
            self.warn(str(error))
        if result.errors:
            raise result.errors[0].with_traceback(None)
        for note in result.notes:
            self.warn(note)
        if not result.changed:
            return tree
        return cst.parse_module(result.text, tree.config_for_parsing)
