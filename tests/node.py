"""Node for the tests of the sampler for devices. pip cannot install it, and a machine may have none."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

JAVASCRIPT = Path(__file__).parents[1] / "src/dirpriv/release/survey/js"


def in_node(script, questions, seconds=120):
    """What a module of the tests answers to these questions. Without node the test is skipped, by name.

    ``DIRPRIV_NODE=required`` makes it fail instead.
    """
    node = shutil.which("node")
    if node is None:
        message = "needs node, which pip cannot install"
        if os.environ.get("DIRPRIV_NODE") == "required":
            pytest.fail(f"DIRPRIV_NODE=required: {message}", pytrace=False)
        pytest.skip(message)
    command = [node, str(script), str(JAVASCRIPT / "dirpriv.mjs")]
    given = json.dumps(questions)
    run = subprocess.run(command, input=given, capture_output=True, text=True, timeout=seconds, check=True)
    return json.loads(run.stdout)
