"""A file about a group of verbs names it (GROUP); its tests run over every engine found.

``ops`` is the group of any engine, ``tested`` that of one to be compared with ``reference``.
"""

from maxmargin.ops.engine import engines


def pytest_generate_tests(metafunc):
    group = getattr(metafunc.module, "GROUP", None)
    chosen = {"ops": engines(), "tested": [e for e in engines() if e.name != "reference"]}
    for name in [name for name in chosen if group and name in metafunc.fixturenames]:
        verbs = [getattr(engine, group) for engine in chosen[name]]
        metafunc.parametrize(name, verbs, ids=[engine.name for engine in chosen[name]])
