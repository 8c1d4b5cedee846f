"""The hot loops, written twice: obvious NumPy in ``reference`` and Numba in ``cpu``."""
