from maxmargin.progress.costs import MeasuredCosts


def test_the_share_is_that_of_the_measured_time():
    costs = MeasuredCosts({"slow": 2, "fast": 2})
    costs.add("slow", 3.0)
    costs.add("fast", 1.0)
    assert costs.share == 0.5
    costs.add("slow", 3.0)
    assert costs.share == 7.0 / 8.0
