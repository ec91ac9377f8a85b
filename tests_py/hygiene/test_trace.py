"""scripts/trace finds markers in both languages, and what is wrong with them."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def trace() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("headrace_trace", str(TOP / "scripts" / "trace"))
    spec = importlib.util.spec_from_loader("headrace_trace", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def uses(trace: ModuleType, path: Path, text: str) -> list[tuple[str, str, str]]:
    path.write_text(text)
    return [tuple(use) for use in trace.uses_in(path, path.name)]


def test_a_comment_before_a_cpp_test_names_it(trace: ModuleType, tmp_path: Path) -> None:
    text = "// seed: ADR-021 2.4/3, ADR-021 2.4/4\n// why\nTEST_P(Lock, Expires) {\n}\nTEST(Other, Test) {}\n"

    assert uses(trace, tmp_path / "a.cpp", text) == [
        ("ADR-021 2.4/3", "Lock.Expires", "a.cpp:1"),
        ("ADR-021 2.4/4", "Lock.Expires", "a.cpp:1"),
    ]


def test_a_comment_or_mark_before_a_python_test_names_it(trace: ModuleType, tmp_path: Path) -> None:
    text = '# seed: ADR-021 6/1\n@pytest.mark.seed("ADR-021 6/2", "ADR-021 6/3")\nasync def test_rule() -> None:\n    pass\n'

    assert [use[:2] for use in uses(trace, tmp_path / "a.py", text)] == [
        ("ADR-021 6/1", "test_rule"),
        ("ADR-021 6/2", "test_rule"),
        ("ADR-021 6/3", "test_rule"),
    ]


def test_a_marker_without_a_test_is_kept_to_be_reported(trace: ModuleType, tmp_path: Path) -> None:
    assert uses(trace, tmp_path / "a.cpp", "// seed: ADR-021 6/1\n") == [("ADR-021 6/1", "", "a.cpp:1")]


def test_every_marker_of_the_checkout_has_a_known_seed_and_a_test(trace: ModuleType) -> None:
    seeds = trace.known_seeds(TOP / "scripts" / "seeds.tsv")

    assert [use for use in trace.all_uses(TOP) if use.seed not in seeds or not use.test] == []
    assert len(seeds) > 100


def test_skipped_tests_are_read_from_the_results(trace: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "ctest.log").write_text(
        " 1/3 Test #1: jobs.Table.Fetches ......   Passed    0.01 sec\n"
        " 2/3 Test #2: xml.Reader.ReadsPayment ......***Skipped   0.01 sec\n"
        " 3/3 Test #3: store.All/Contract.Commits/memory ......***Skipped   0.01 sec\n"
    )
    (tmp_path / "pytest.xml").write_text(
        '<testsuites><testsuite><testcase name="test_a[1]"><skipped/></testcase><testcase name="test_b"/></testsuite></testsuites>'
    )

    assert trace.skipped_tests(tmp_path) == {"Reader.ReadsPayment", "Contract.Commits", "test_a"}
