from maxmargin.plots.text import percent, plain, turn, width


def test_dollars_are_no_mathematics():
    assert plain("a $ b") == r"a \$ b"


def test_shares_are_written_in_per_cent():
    assert percent(0.25) == "25%"
    assert percent(0.125) == "12.5%"


def test_names_are_turned_where_they_would_overlap():
    names = ["a rather long name"] * 9
    assert width(names[0], 8) > width("short", 8)
    assert turn(names, 2.0) != turn(["a"], 2.0)
