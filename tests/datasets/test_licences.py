from maxmargin.datasets.shipped import DATA


def test_every_shipped_file_has_its_source_and_terms_written_down():
    licences = (DATA / "DATA_LICENSES.md").read_text(encoding="utf-8")
    files = [path.name for path in DATA.iterdir() if ".csv" in path.suffixes]
    assert files
    assert [name for name in files if f"`{name}`" not in licences] == []
