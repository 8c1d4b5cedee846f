"""The studio: a local page that shows the library at work.

Three rooms: a playground of points and models, tables for the main job, and a stored model. The
page is plain JavaScript; every number in it comes from the library. ``maxmargin studio`` starts it.

    launch        the command: port, address, browser
    app           routes, and which room answers
    guard         who may ask: token, host, origin, size
    worker        a process for fits that may be stopped at any time
    scene         points and a model as the page sends them, checked
    play          a scene to a fitted model and to numbers to draw
    steps         the same, stopped after some steps or rounds
    code          the Python that makes the model of a scene
    tables        files, and the main job with its progress
    models        a stored model: what it is, and its answers
"""

from maxmargin.studio.launch import serve

__all__ = ["serve"]
