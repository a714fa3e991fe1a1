import json
from pathlib import Path

import pytest

from duetpy.diagnostics.as_json import diagnostic_value
from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.diagnostics.sarif import sarif_log
from duetpy.source import Source, Span

SOURCE = Source("dir name/x:1.duet", "𝕄 a\nb c\n")
HERE = Diagnostic(
    "D0311",
    "too sensitive",
    Span(SOURCE, 2, 3),
    "this",
    (Label(Span(SOURCE, 4, 7), "that"),),
    ("because",),
    "mend it",
    "mgauss",
)
NOWHERE = Diagnostic("D0604", "not a number", severity=Severity.WARNING, where="people.csv, line 3")


def test_the_json_of_a_diagnostic_has_the_promised_keys() -> None:
    value = diagnostic_value(HERE)
    assert value["code"] == "D0311"
    assert value["severity"] == "error"
    assert value["rule"] == "mgauss"
    assert value["message"] == "too sensitive"
    assert value["help"] == "mend it"
    assert value["span"] == {"line": 1, "column": 3, "end_line": 1, "end_column": 4}
    assert value["labels"] == [
        {"message": "that", "file": SOURCE.name, "span": {"line": 2, "column": 1, "end_line": 2, "end_column": 4}}
    ]
    assert value["notes"] == ["because"]
    assert json.loads(json.dumps(value)) == value


def test_the_json_of_a_diagnostic_without_a_place() -> None:
    value = diagnostic_value(NOWHERE)
    assert value["span"] is None
    assert value["rule"] is None
    assert value["severity"] == "warning"
    assert value["where"] == "people.csv, line 3"
    assert value["labels"] == []


def test_a_sarif_log() -> None:
    log = sarif_log([("main.duet", HERE), ("main.duet", NOWHERE)], "1.2.3")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("duetpy", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == ["D0311", "D0604"]
    first, second = run["results"]
    assert driver["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "D0311"
    assert driver["rules"][second["ruleIndex"]]["id"] == second["ruleId"] == "D0604"
    assert (first["level"], second["level"]) == ("error", "warning")
    assert first["message"]["text"] == "too sensitive\nbecause\nhelp: mend it"
    assert second["message"]["text"] == "people.csv, line 3: not a number"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir%20name/x%3A1.duet"
    assert place["region"] == {"startLine": 1, "startColumn": 3, "endLine": 1, "endColumn": 4}
    assert run["columnKind"] == "unicodeCodePoints"
    assert first["relatedLocations"][0]["message"]["text"] == "that"
    # A diagnostic without a place is laid at the door of the file that was checked.
    assert second["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "main.duet"}}
    json.dumps(log)


def test_signs_with_a_meaning_in_sarif_are_escaped() -> None:
    """A reader formats a message with its arguments (§3.11.5) and looks for links in it (§3.11.6)."""
    span = Span(Source("x", "f[a](x)"), 0, 7)
    label = Label(span, "f[a](x) { e }")
    log = sarif_log([("x", Diagnostic("D0101", "write f[a](0) { {0} }", span, label.message, (label,)))], "0")
    (found,) = log["runs"][0]["results"]
    assert found["message"]["text"].format() == "write f[a\\](0) { {0} }"
    assert {each["message"]["text"].format() for each in (found["locations"] + found["relatedLocations"])} == {
        "f[a\\](x) { e }"
    }


def test_every_sarif_rule_has_words() -> None:
    (run,) = sarif_log([("x", HERE)], "0")["runs"]
    assert all(rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"])


@pytest.mark.parametrize("name", ["-", "<text>"])
def test_a_text_without_a_file_has_no_uri(name: str) -> None:
    source = Source(name, "x")
    log = sarif_log([(name, Diagnostic("D0101", "wrong", Span(source, 0, 1))), (name, NOWHERE)], "0")
    first, second = log["runs"][0]["results"]
    place = first["locations"][0]["physicalLocation"]
    assert "uri" not in place["artifactLocation"]
    assert place["region"]["startLine"] == 1
    assert "locations" not in second


def test_an_absolute_file_has_a_file_uri(tmp_path: Path) -> None:
    path = tmp_path / "ε.duet"
    log = sarif_log([(str(path), NOWHERE)], "0")
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == path.as_uri()


def test_no_diagnostics_make_an_empty_run() -> None:
    (run,) = sarif_log([], "0")["runs"]
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []
