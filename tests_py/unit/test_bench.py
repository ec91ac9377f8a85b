"""`headrace bench`: every figure is there, with its median, its spread and its CPU time. No figure itself is asserted."""

from __future__ import annotations

import json

import pytest

from headrace import bench

SMALL = ["--rounds", "2", "--operations", "100", "--single", "20", "--waiting", "200", "--parked", "100"]


def test_the_report_has_each_figure_with_median_spread_and_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    # when
    code = bench.main([*SMALL, "--json"])
    # then
    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert set(report["rates"]) == set(bench.RATES)
    for figure in report["rates"].values():
        rate = figure["per_second"]
        assert 0 < rate["min"] <= rate["median"] <= rate["max"]
        assert figure["cpu_us_per_operation"] > 0
    assert [len(report["latency"][who]) for who in ("cpp", "python")] == [2, 2]
    assert report["parked"]["100"]["heap_bytes"] > 0
    assert report["machine"]["cpus"] and report["versions"]


def test_people_get_a_line_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    # when
    code = bench.main([*SMALL, "--only", "cpp_external_among_waiting", "--only", "latency", "--only", "parked"])
    # then
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert lines[1] == "median of 2 rounds of 100 (min-max)"
    assert "200 jobs waiting" in lines[2] and "us CPU" in lines[2]
    assert [line.split(",")[1].split()[0] for line in lines[3:5]] == ["cpp", "python"]
    assert "100 parked instances" in lines[5]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--only", "cpp_magic"], "unknown figure 'cpp_magic'"),
        (["--rounds", "0"], "at least 1"),
        (["--operations", "99"], "at least 100 operations"),
        (["--parked", "0"], "at least 1"),
        (["--waiting", "-1"], "at least 1"),
    ],
)
def test_a_measurement_that_cannot_be_made_is_wrong_usage(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    # when
    with pytest.raises(SystemExit) as stopped:
        bench.main(arguments)
    # then
    assert stopped.value.code == 2
    assert why in capsys.readouterr().err
