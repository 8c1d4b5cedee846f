"""Routes of the studio: the page, its parts, and what it asks for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from maxmargin.studio.error import SceneError
from maxmargin.studio.guard import Guard, TooLargeError, too_large
from maxmargin.studio.sample import SAMPLE, draw_sample, is_large
from maxmargin.studio.tables import FILES, Files, Jobs, points, preview
from maxmargin.studio.worker import CallError, OvertakenError, Worker

STATIC: Final = Path(__file__).parent / "static"
REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'unsafe-inline'; "
    "sandbox allow-scripts; frame-ancestors 'self'"
)
"""A report needs nothing from outside, and its scripts may not reach the studio."""

MOST_DRAWN: Final = 1_000
"""Points that are drawn of a file."""

Answer = Callable[[Request], Awaitable[Response]]


class Studio:
    """What the routes share: files, jobs and the worker."""

    def __init__(self, beside: Path) -> None:
        self.files = Files(beside)
        self.jobs = Jobs(self.files)
        self.worker = Worker()

    @asynccontextmanager
    async def life(self, _app: Any) -> AsyncIterator[None]:
        """Start the worker, and leave nothing behind at the end."""
        self.worker.start()
        try:
            yield
        finally:
            await self.jobs.stop()
            self.worker.stop()
            self.files.remove()

    # the playground

    async def play(self, request: Request) -> Response:
        """Fit the model of a scene."""
        given = await _json(request)
        page, number = str(given.get("page", ""))[:40], given.get("number", 0)
        number = number if isinstance(number, int) else 0
        found = await self.worker.call("play", given.get("scene"), page, number)
        return JSONResponse({"number": number, **found})

    async def scenes(self, _request: Request) -> Response:
        """Return the sets of points that the playground begins with."""
        return JSONResponse(await self.worker.call("scenes", None))

    async def points(self, request: Request) -> Response:
        """Return two columns of a file as points."""
        given = await _json(request)
        first, second, label = (str(given.get(name, "")) for name in ("first", "second", "label"))
        path = self.files.path(str(given.get("file", "")))
        found = await asyncio.to_thread(points, path, first, second, label, MOST_DRAWN)
        return JSONResponse({"points": found})

    # files and jobs

    async def listed(self, _request: Request) -> Response:
        """List the files beside the studio."""
        return JSONResponse({"folder": self.files.beside.name, "files": self.files.listed()})

    async def upload(self, request: Request) -> Response:
        """Take a file; its name comes in the address and only labels it."""
        key, path = self.files.new(request.query_params.get("name", "table.csv"))
        with path.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)
        return JSONResponse({"file": key, "label": self.files.label(key)})

    async def choose(self, request: Request) -> Response:
        """Open a file beside the studio."""
        key = self.files.open_beside(str((await _json(request)).get("name", "")))
        return JSONResponse({"file": key, "label": self.files.label(key)})

    async def table(self, request: Request) -> Response:
        """Return what a file's columns are."""
        path = self.files.path(request.path_params["file"])
        if is_large(path):
            return JSONResponse({"large": path.stat().st_size, "sample": SAMPLE})
        return JSONResponse(await asyncio.to_thread(preview, path))

    async def sample(self, request: Request) -> Response:
        """Draw a sample of a large file."""
        path = self.files.path(request.path_params["file"])
        key, out = self.files.new(f"sample of {path.name}")
        await asyncio.to_thread(draw_sample, path, out)
        return JSONResponse({"file": key, "label": self.files.label(key)})

    async def start(self, request: Request) -> Response:
        """Start a job."""
        given = await _json(request)
        options = given.get("options") or {}
        job = await self.jobs.start(str(given.get("file", "")), given.get("target", ""), options)
        return JSONResponse({"job": job.key})

    async def events(self, request: Request) -> Response:
        """Stream the events of a job, a line each."""
        job = self.jobs.get(request.path_params["job"])

        async def lines() -> AsyncIterator[bytes]:
            async for line in job.events():
                yield line.encode() + b"\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def cancel(self, request: Request) -> Response:
        """Cancel a job; what is done stays."""
        self.jobs.get(request.path_params["job"]).cancel()
        return JSONResponse({"cancelled": True})

    async def result(self, request: Request) -> Response:
        """Hand out a file of a job."""
        job, name = self.jobs.get(request.path_params["job"]), request.path_params["name"]
        path = job.folder / name
        if name not in FILES or not path.is_file():
            raise SceneError("The job has not written this file.")
        head = {"content-security-policy": REPORT_POLICY} if name == "report.html" else {}
        if request.query_params.get("save"):
            head["content-disposition"] = f'attachment; filename="{name}"'
        return FileResponse(path, media_type=FILES[name], headers=head)

    async def job_model(self, request: Request) -> Response:
        """Open the model of a job in the third room."""
        job = self.jobs.get(request.path_params["job"])
        path = job.folder / "model.maxmargin"
        if not path.is_file():
            raise SceneError("The job has not written a model.")
        key, copy = self.files.new("model.maxmargin")
        copy.write_bytes(path.read_bytes())
        return JSONResponse({"file": key, "label": "model.maxmargin"})

    # a model

    async def describe(self, request: Request) -> Response:
        """Return what a model file holds."""
        path = str(self.files.path(request.path_params["file"]))
        return JSONResponse(await self.worker.call("describe", {"path": path}))

    async def predict(self, request: Request) -> Response:
        """Predict a row."""
        given = await _json(request)
        path = str(self.files.path(request.path_params["file"]))
        row = given.get("row")
        if not isinstance(row, dict):
            raise SceneError("A row is an object of columns and values.")
        page, number = f"model-{str(given.get('page', ''))[:40]}", int(given.get("number") or 0)
        found = await self.worker.call("predict", {"path": path, "row": row}, page, number)
        return JSONResponse({"number": number, **found})

    async def score(self, request: Request) -> Response:
        """Predict the rows of a file."""
        given = await _json(request)
        path = str(self.files.path(request.path_params["file"]))
        file = str(self.files.path(str(given.get("table", ""))))
        return JSONResponse(await self.worker.call("score", {"path": path, "file": file}))


async def _json(request: Request) -> dict[str, Any]:
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise SceneError("The request holds no JSON.") from None
    if not isinstance(given, dict):
        raise SceneError("The request holds no object.")
    return given


def _guarded(answer: Answer) -> Answer:
    """Turn what went wrong into a sentence for the page."""

    async def safe(request: Request) -> Response:
        try:
            return await answer(request)
        except OvertakenError as error:
            return JSONResponse({"overtaken": True, "error": str(error)}, 409)
        except (SceneError, CallError) as error:
            return JSONResponse({"error": str(error)}, 400)
        except TooLargeError:
            return JSONResponse({"error": too_large()}, 413)
        except ClientDisconnect:
            return Response(status_code=499)
        except OSError as error:
            return JSONResponse({"error": f"The disk refused: {error.strerror}."}, 507)

    return safe


async def _page(_request: Request) -> Response:
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")


def make_app(token: str, port: int, beside: Path) -> Guard:
    """Return the application behind its guard."""
    studio = Studio(beside)
    posts = {
        "/api/play": studio.play,
        "/api/points": studio.points,
        "/api/files": studio.upload,
        "/api/files/beside": studio.choose,
        "/api/tables/{file}/sample": studio.sample,
        "/api/jobs": studio.start,
        "/api/jobs/{job}/cancel": studio.cancel,
        "/api/jobs/{job}/model": studio.job_model,
        "/api/models/{file}/predict": studio.predict,
        "/api/models/{file}/score": studio.score,
    }
    gets = {
        "/api/scenes": studio.scenes,
        "/api/beside": studio.listed,
        "/api/tables/{file}": studio.table,
        "/api/jobs/{job}/events": studio.events,
        "/api/jobs/{job}/files/{name}": studio.result,
        "/api/models/{file}": studio.describe,
    }
    routes: list[Any] = [Route("/", _page)]
    routes += [Route(path, _guarded(each), methods=["POST"]) for path, each in posts.items()]
    routes += [Route(path, _guarded(each)) for path, each in gets.items()]
    routes.append(Mount("/static", StaticFiles(directory=STATIC)))
    return Guard(Starlette(routes=routes, lifespan=studio.life), token, port)
