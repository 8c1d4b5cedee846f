"""The engine of a card: kernel values, working sets and sums as torch tensors and Triton programs.

Importing a module of this package imports torch, so nothing imports it before a fit asks for a
card. The same code runs on torch's CPU device, where the tests run it (``device.stand_in``); the
Triton programs then give way to plain torch, or run in Triton's interpreter.

    device           which card, and the errors for one that is not there
    arrays           NumPy arrays and trees of prepared rows to tensors and back
    kernel_values    dot products and distances of rows, dense or sparse
    fused            sums of radial kernel values that are never written to memory
    working_set      which variables move, and the small matrix problem
    smo              pairs of variables of one working set
"""
