"""Which processor loops are compiled for."""

from __future__ import annotations

import numba


def processor() -> str:
    """Return what compiled code depends on besides sources: Numba's version and the processor."""
    name, features = numba.config.CPU_NAME, numba.config.CPU_FEATURES
    return repr((numba.__version__, name or _host(), features))


def _host() -> str:
    try:
        from llvmlite.binding import get_host_cpu_name  # noqa: PLC0415
    except ImportError:
        import platform  # noqa: PLC0415

        return platform.processor() or platform.machine()
    return str(get_host_cpu_name())
