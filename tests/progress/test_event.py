import json

from maxmargin.progress.event import event_line


def test_an_event_is_one_line_of_json():
    line = event_line("fold", 1.5, {"number": 3})
    assert "\n" not in line.rstrip("\n")
    event = json.loads(line)
    assert event["event"] == "fold"
    assert event["number"] == 3
