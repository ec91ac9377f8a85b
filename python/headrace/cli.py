"""The command `headrace`.

Exit codes: 0 done, 1 the process failed or left an incident, 2 wrong usage, 3 bad model, 5 not found, 124 waited too long, 130 Ctrl-C,
143 stopped by TERM. Data goes to stdout, messages to stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")


def _variable(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, but found {text!r}")
    try:
        return name, json.loads(value, parse_constant=_no_constant)
    except ValueError:
        return name, value


def _no_constant(word: str) -> NoReturn:
    raise ValueError(word)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise argparse.ArgumentTypeError(f"expected seconds, but found {text!r}")
    return seconds


def parser() -> argparse.ArgumentParser:
    """The command line."""
    import headrace

    top = _Parser(prog="headrace", description="Run BPMN 2.0 processes.")
    top.add_argument("--version", action="version", version=f"headrace {headrace.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    run = commands.add_parser("run", help="run one instance of a model and tell its story")
    run.add_argument("model", metavar="MODEL.bpmn")
    run.add_argument("--var", action="append", default=[], type=_variable, metavar="NAME=VALUE", help="a start variable; JSON, else text")
    run.add_argument("--worker", action="append", default=[], metavar="WORKERS.py", help="a script with hr.Worker objects")
    run.add_argument("--process", metavar="ID", help="which process of the file (default: the only one)")
    run.add_argument("--profile", choices=["headrace", "camunda7"], help="the rules that it runs by (default: by the file's content)")
    run.add_argument("--business-key", default="", metavar="KEY")
    run.add_argument("--timeout", type=_seconds, metavar="S", help="give up after so many seconds (exit 124)")
    run.add_argument("--json", action="store_true", help="one JSON document on stdout instead of the story")
    versions = commands.add_parser("versions", help="what a bug report should have")
    versions.add_argument("--json", action="store_true")
    bench = commands.add_parser("bench", help="measure this machine", add_help=False)
    bench.add_argument("rest", nargs=argparse.REMAINDER)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["bench"]:
        from headrace import bench

        return int(bench.main(given[1:]))
    try:
        options = parser().parse_args(given)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        if options.command == "versions":
            return _versions(options)
        from headrace import run

        return run.main(options)
    except KeyboardInterrupt:
        print("headrace: stopped by Ctrl-C", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _versions(options: argparse.Namespace) -> int:
    import contextlib
    import io

    import headrace

    if not options.json:
        headrace.show_versions()
        return 0
    with contextlib.redirect_stdout(io.StringIO()):
        versions = headrace.show_versions()
    print(json.dumps(versions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
