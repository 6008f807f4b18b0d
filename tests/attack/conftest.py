"""Tests of attacks share helpers of the other folders of tests."""

import importlib.util
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "study"))

# the copy of the project and the finished smoke run are made once in a session, for all folders
PATH = Path(__file__).resolve().parents[1] / "workflow" / "conftest.py"
SPEC = importlib.util.spec_from_file_location("workflow_conftest", PATH)
workflow = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = workflow
SPEC.loader.exec_module(workflow)
project, smoke_run = workflow.project, workflow.smoke_run
