from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Searches among few rows take longer to wake a second thread than to search."""
    with threadpool_limits(1):
        yield
