"""``belote export NAME FILE.onnx``: a policy for other runtimes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from belote_cli.common import UsageError, check_writable

_DESCRIPTION = """Write the policy of a checkpoint as an ONNX file. It takes observations as docs/observation.md
describes them, uint8 (n, size), and gives scores, float32 (n, 174): logits of all actions, of which the highest legal
one is the policy's choice. The file plays as onnx:FILE."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "export", help="write a policy as an ONNX file", description=_DESCRIPTION
    )
    parser.add_argument("name", metavar="NAME", help="a shipped checkpoint, or the folder of a run")
    parser.add_argument("file", metavar="FILE", type=Path, help="as policy.onnx")
    return parser


def run(args: argparse.Namespace) -> int:
    """Write; say how the file plays."""
    check_writable("FILE", args.file)
    try:
        from agents.checkpoint import load
        from agents.onnx_export import export

        export(load(args.name), args.file)
    except ImportError as error:
        raise UsageError(f'belote export needs {error.name}: pip install "belote-env[onnx]"') from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    print(f"onnx:{args.file}")
    return 0
