"""The compiler: found, asked, run without a shell, and clean when it fails."""

from __future__ import annotations

import os
import platform
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import looptx
from looptx.emit.cython import ccode
from looptx.errors import BuildFailed
from looptx.native.compile import build, compiler, fma, link

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)

NEST = "def nest(int a, int threads):\n    return (a + 1,)\n"

PARALLEL = """\
from cython.parallel cimport prange

def nest(int n, int threads):
    cdef int i, total = 0
    for i in prange(n, nogil=True, num_threads=threads):
        total += i
    return (total,)
"""

STRIDED = """
static lx_work sums(long n, long *restrict A, long row) {
    for (long i = 0; i < n; i++) {
        long s = 1;
        for (long j = 0; j < n; j++) s += A[i * row + j];
        A[4 * i * row + row - 1] = s;
    }
    return 0;
}
long A[400];
int main(int count, char **words) { sums(count, A, 6); return A[5]; }
"""


def fake(tmp_path: Path, refused: tuple[str, ...]) -> str:
    """A compiler that knows fewer flags than the real one."""
    real = compiler.find().argv[0]
    tests = "".join(
        f'    *" {flag} "*) echo "error: unrecognized option {flag}" >&2; exit 1;;\n'
        for flag in refused
    )
    script = tmp_path / "oldcc"
    script.write_text(
        f'#!/bin/sh\ncase " $* " in\n{tests}esac\nexec {real} "$@"\n', "utf-8"
    )
    script.chmod(0o755)
    return str(script)


def load(built: build.Built):
    """The nest of a built module."""
    from looptx.native.compile.load import load as load_module

    return load_module(built.library, built.module).nest


@needs_compiler
def test_find_and_ask():
    found = compiler.find()
    assert Path(found.argv[0]).is_absolute()
    assert compiler.version(found)
    assert compiler.accepts(found, ())
    assert not compiler.accepts(found, ("-fno-such-flag",))
    assert compiler.has_headers(found)


@pytest.mark.parametrize("named", ["/nonexistent/cc", "no-such-compiler -O2"])
def test_a_compiler_that_is_not_there(monkeypatch, named):
    monkeypatch.setenv("CC", named)
    with pytest.raises(BuildFailed) as caught:
        compiler.find()
    assert caught.value.code == "LX501"
    assert named in caught.value.message
    assert caught.value.hint


def test_no_compiler_at_all(monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler.sysconfig, "get_config_var", lambda name: "")
    with pytest.raises(BuildFailed, match="no C compiler") as caught:
        compiler.find()
    assert "install" in caught.value.hint


@needs_compiler
def test_no_shell_ever(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", "gcc; touch oops")
    with pytest.raises(BuildFailed):
        compiler.find()
    monkeypatch.setenv("CC", "gcc ; touch oops")
    assert not compiler.accepts(compiler.find(), ())
    assert not (tmp_path / "oops").exists()


@needs_compiler
def test_a_nest_is_built_and_runs(fresh_cache, tmp_path):
    built = build.build(NEST, "_looptx_test_one", tmp_path)
    assert load(built)(41, 1) == (42,)
    assert not built.parallel


@needs_compiler
def test_parallel_loops_need_openmp(tmp_path):
    built = build.build(PARALLEL, "_looptx_test_two", tmp_path, openmp=True)
    assert built.parallel == bool(compiler.openmp(compiler.find()))
    assert load(built)(10, 2) == (45,)


@needs_compiler
@pytest.mark.parametrize(
    "refused", [("-fopenmp",), ("-fno-math-errno", "-march=native")]
)
def test_flags_the_compiler_lacks_are_left_out(monkeypatch, tmp_path, refused):
    monkeypatch.setenv("CC", fake(tmp_path, refused))
    name = f"_looptx_test_{len(refused)}_flags"
    built = build.build(PARALLEL, name, tmp_path, openmp=True)
    assert load(built)(10, 2) == (45,)
    assert built.parallel == ("-fopenmp" not in refused)


@needs_compiler
def test_loops_begin_with_a_line_of_the_cache(optimised, tmp_path):
    (tmp_path / "x.c").write_text(
        "void f(long n, int *a) { for (long i = 1; i < n; i++) a[i] += a[i - 1]; }\n"
    )
    found, flags = compiler.find(), compiler.optional(vectors=False, native=False)
    known = [one for one in flags if compiler.accepts(found, (one,))]
    given = ("-S", "x.c", "-o", "x.s", *compiler.REQUIRED, *known)
    assert found.run(given, tmp_path)[0] == 0
    assert ".p2align 6" in " ".join((tmp_path / "x.s").read_text().split())


@pytest.mark.skipif(
    platform.machine() != "x86_64" or shutil.which("gcc") is None,
    reason="needs gcc for x86-64",
)
def test_minima_of_integers_are_taken_in_registers_of_vectors(optimised, tmp_path):
    (tmp_path / "x.c").write_text(
        "void f(long n, int *a, int *b) { for (long i = 0; i < n; i++) {"
        " int c = a[0] + b[i]; a[i] = a[i] < c ? a[i] : c; } }\n"
    )
    gcc = compiler.Compiler((str(shutil.which("gcc")),))
    flags = compiler.optional(vectors=False, native=False)
    given = "-S", "x.c", "-o", "x.s", *compiler.REQUIRED, *flags, "-msse4.1"
    assert gcc.run(given, tmp_path)[0] == 0
    assert "pminsd" in (tmp_path / "x.s").read_text().split()


STEPS = """\
import numpy as np

def steps(x, y):
    t = np.empty({size})
    # looptx: temp t
    for i in range(x.shape[0]):
        for j in range({size}):
            t[j] = x[i] * j
        for j in range(1, {size}):
            t[j] = t[j] + t[j - 1]
        y[i] = t[{size} - 1]
"""


@needs_compiler
@pytest.mark.parametrize(("size", "on_the_stack"), [(8, True), (10_000, False)])
def test_what_has_arrays_on_its_stack_is_aligned(
    monkeypatch, tmp_path, size, on_the_stack
):
    built, seen = build.build, []

    def watched(*args, flags=(), **more):
        seen.append(set(compiler.ALIGNED) <= set(flags))
        return built(*args, flags=flags, **more)

    monkeypatch.setenv("LOOPTX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "build", watched)
    monkeypatch.setattr(compiler, "ALIGNED", ("-Wall",))
    file = tmp_path / "steps.py"
    file.write_text(STEPS.format(size=size))
    module = runpy.run_path(str(file))
    looptx.kernel(strict=True)(module["steps"])(np.ones(3), np.zeros(3))
    assert seen == [on_the_stack]


@needs_compiler
def test_what_the_compiler_says_is_in_the_detail(tmp_path):
    source = tmp_path / "x.c"
    source.write_text("#include <nothing_like_this.h>\n")
    with pytest.raises(BuildFailed) as caught:
        link.link(source, tmp_path / "x.so", compiler.REQUIRED)
    assert caught.value.code == "LX502"
    assert any("nothing_like_this.h" in line for line in caught.value.detail)


@needs_compiler
def test_a_compiler_without_pythons_headers(monkeypatch, tmp_path):
    monkeypatch.setattr(link, "includes", lambda: ())
    monkeypatch.setattr(
        compiler.sysconfig, "get_paths", lambda: {"include": str(tmp_path)}
    )
    compiler.has_headers.cache_clear()
    source = tmp_path / "x.c"
    source.write_text("#include <Python.h>\n")
    with pytest.raises(BuildFailed, match=r"Python\.h") as caught:
        link.link(source, tmp_path / "x.so", compiler.REQUIRED)
    compiler.has_headers.cache_clear()
    assert caught.value.code == "LX501"


@needs_compiler
def test_a_compiler_that_cannot_compile(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", sys.executable)
    source = tmp_path / "x.c"
    source.write_text("int x;\n")
    with pytest.raises(BuildFailed, match="cannot compile") as caught:
        link.link(source, tmp_path / "x.so", compiler.REQUIRED)
    assert caught.value.code == "LX501"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def nest(int a:\n    pass\n", "x.pyx:"),
        ("cdef int f() nogil:\n    return g()\n", "g"),
    ],
)
def test_what_cython_says_is_in_the_detail(tmp_path, capfd, text, said):
    with pytest.raises(BuildFailed) as caught:
        build.cythonize(text, "x", tmp_path)
    assert caught.value.code == "LX502"
    assert any(said in line for line in caught.value.detail)
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_while_a_compiler_is_started(tmp_path, monkeypatch):
    """It is not left behind: an interrupt waits until the process is known."""
    popen, started = subprocess.Popen, []

    def interrupted(*args, **kwargs):
        started.append(popen(*args, **kwargs))
        os.kill(os.getpid(), signal.SIGINT)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compiler.Compiler(("sleep",)).run(("600",), tmp_path)
    assert started[0].returncode == -signal.SIGKILL


LANES = """\
void f(double *restrict r, const double *a, const double *b, const double *c, int n) {
    for (int i = 0; i < 2 * n; i += 2) {
        r[i] = a[i] * b[i] - c[i];
        r[i + 1] = a[i + 1] * b[i + 1] + c[i + 1];
    }
}
"""
"""What gcc 12 vectorises with fused instructions, whatever it is told."""


def assembled(folder: Path, text: str, *flags: str) -> fma.Assembly:
    """C compiled for this machine."""
    (folder / "lanes.c").write_text(text, "utf-8")
    arguments = (*compiler.REQUIRED, compiler.native_flag(), *flags)
    return fma.assemble(compiler.find(), folder / "lanes.c", arguments)


@needs_compiler
def test_sums_and_differences_in_turn_are_not_fused(tmp_path):
    made = assembled(tmp_path, LANES)
    assert made.file is not None
    assert not fma.fuses(made.file.read_bytes())


@needs_compiler
def test_flags_against_fusing_are_for_what_fuses(tmp_path):
    made = assembled(tmp_path, LANES.replace("- c", "+ c"))
    assert made.file is not None
    assert made.flags == ()


@needs_compiler
def test_what_is_allowed_to_fuse_is_left_alone(tmp_path):
    made = assembled(tmp_path, LANES, fma.ALLOWED)
    assert made.file is not None
    assert made.flags == ()


@pytest.mark.parametrize(
    ("line", "fused"),
    [
        ("\tvfmaddsub132pd\t(%rdx), %xmm1, %xmm0", True),
        ("\tvfnmadd231sd\t%xmm1, %xmm2, %xmm0", True),
        ("\tfmadd\td0, d1, d2, d3", True),
        ("\tfmla\tv0.2d, v1.2d, v2.2d", True),
        ("\tfcmla\tv0.2d, v1.2d, v2.2d, #90", True),
        ("\tvfmacc.vv\tv1, v2, v3", True),
        ("\tfmsub.d\tfa0, fa1, fa2, fa3", True),
        ("\txvmaddadp\t0, 1, 2", True),
        ("\tvmulpd\t%zmm1, %zmm2, %zmm0", False),
        ("\tvaddsubpd\t%xmm1, %xmm2, %xmm0", False),
        ("\tvpmadd52luq\t%zmm1, %zmm2, %zmm0", False),
        ("\tmla\tv0.4s, v1.4s, v2.4s", False),
        ('\t.string\t"fmadd"', False),
        ("vfmadd:", False),
    ],
)
def test_instructions_that_fuse_are_known(line, fused):
    assert fma.fuses(f".text\n{line}\n".encode()) == fused


@pytest.mark.parametrize(
    ("apart", "other", "fused"),
    [
        ("vmulpd %ymm0", "vfmsub231sd %xmm0", False),
        ("vfmadd231pd %ymm0", "vmulsd %xmm0", True),
        ("vmulpd %ymm0", "vfmaddsub132pd %ymm0", True),
    ],
)
def test_what_is_fused_on_purpose_is_told_apart(apart, other, fused):
    end = "\t.cfi_endproc"
    text = f"lx_apart:\n\t{apart}\n{end}\nlx_other:\n\t{other}\n{end}\n"
    assert fma.fuses(text.encode()) == fused


SUM = """\
static __attribute__((used, noinline)) double
lx_apart(const double *a) { return a[0] * a[1] + a[2]; }
double f(double a, double b, double c) { return __builtin_fma(a, b, c); }
"""


@needs_compiler
def test_what_asks_for_fused_operations_has_them(tmp_path):
    assert assembled(tmp_path, SUM).flags == ()
    assert assembled(tmp_path, SUM + LANES).flags == assembled(tmp_path, LANES).flags


@needs_compiler
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a shell script as CC")
def test_a_compiler_that_always_fuses_is_refused(monkeypatch, tmp_path):
    script = tmp_path / "fusing"
    script.write_text(
        f'#!/bin/sh\n{compiler.find().argv[0]} "$@" || exit 1\n'
        'case " $* " in *" -S "*) for name; do :; done\n'
        'printf "\\tvfmadd231sd\\n" >> "$name";; esac\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    with pytest.raises(BuildFailed) as caught:
        build.build(NEST, "_looptx_test_fusing", tmp_path)
    assert caught.value.code == "LX502"
    assert "fuses" in "\n".join(caught.value.detail)


@pytest.mark.skipif("LOOPTX_QUICK_HEADER" not in os.environ, reason="needs gcc")
@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("parallel", [(), *compiler.openmp_flags()])
def test_headers_are_read_once(tmp_path, vectors, parallel, monkeypatch):
    monkeypatch.delenv("LOOPTX_QUICK_KEPT", raising=False)
    source = tmp_path / "_looptx_x.c"
    source.write_text('#include "Python.h"\n#include <numpy/ndarraytypes.h>\n')
    flags = compiler.REQUIRED + compiler.optional(vectors=vectors, native=True)
    found = (*compiler.link_flags(), *flags, *link.includes(), *parallel, "-H", "-S")
    quick = compiler.Compiler((os.environ["CC"],))
    status, said = quick.run((*found, str(source), "-o", f"{source}.s"), tmp_path)
    assert status == 0
    header = os.environ["LOOPTX_QUICK_HEADER"]
    assert any(line.startswith(f"! {header}") for line in said.splitlines()), said


QUICK = Path(__file__).parents[1] / "quick" / "cc"


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_texts_are_compiled_once_for_the_same_flags(tmp_path, monkeypatch):
    """That is for tests: what is made is the same, and errors stay errors."""
    folders = kept, programs, work = [tmp_path / name for name in ("kept", "bin", "w")]
    for folder in folders:
        folder.mkdir()
    log, script = tmp_path / "log", programs / "cc"
    script.write_text(f'#!/bin/sh\necho >> "{log}"\nexec {shutil.which("cc")} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("LOOPTX_QUICK_KEPT", str(kept))
    monkeypatch.delenv("LOOPTX_QUICK_HEADER", raising=False)
    quick = compiler.Compiler((str(QUICK),))
    made = work / "x.s"

    def compiled(text: str, *flags: str) -> tuple[bool, int]:
        """Whether it compiles, and how often the compiler ran so far."""
        source = work / "_looptx_x.c"
        source.write_text(text)
        made.unlink(missing_ok=True)
        status, _ = quick.run((*flags, "-S", str(source), "-o", str(made)), work)
        assert made.exists() == (status == 0)
        return status == 0, len(log.read_text())

    assert compiled("int f(void) { return 41; }") == (True, 1)
    first = made.read_bytes()
    assert compiled("int f(void) { return 42; }") == (True, 2)
    assert compiled("int f(void) { return 41; }") == (True, 2)
    assert made.read_bytes() == first
    assert compiled("int f(void) { return 41; }", "-O1") == (True, 3)
    assert compiled("int f(void) { return; ") == (False, 4)
    assert compiled("int f(void) { return; ") == (False, 5)


@pytest.mark.skipif(
    shutil.which("gcc") is None or sys.platform == "darwin", reason="needs gcc itself"
)
def test_what_only_stores_is_called(tmp_path: Path) -> None:
    source, program = tmp_path / "strided.c", tmp_path / "strided"
    source.write_text(ccode.WORK + STRIDED)
    flags = *compiler.REQUIRED, *compiler.optional(vectors=False, native=False)
    for more in (), ("-fno-tree-vrp",):
        subprocess.run(["gcc", *flags, *more, source, "-o", program], check=True)
        assert subprocess.run([program]).returncode == 1
