"""Work of hookkit's own that goes on after the reply, in a process that nobody waits for."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The process imports hookkit from where this process did; the working directory is never on its path.
CODE = """
import sys
from importlib import import_module
sys.path[:] = sys.argv[1].split(chr(10))
getattr(import_module(sys.argv[2]), sys.argv[3])(*sys.argv[4:])
"""


def start(
    module: str, function: str, words: "Sequence[str]", environ: "Mapping[str, str]", descriptors: "Sequence[int]" = ()
) -> None:
    """Call a function of hookkit with these words; it inherits the descriptors and nothing else."""
    import subprocess

    subprocess.Popen(
        [sys.executable, "-I", "-c", CODE, "\n".join(sys.path), module, function, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environ),
        cwd="/",
        pass_fds=tuple(descriptors),
        start_new_session=True,
    ).returncode = 0  # its end is not our business
