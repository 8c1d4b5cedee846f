"""What is wrong with a file or a wish, said to whoever can put it right."""


class InputError(ValueError):
    """Something about the input that the user can put right; the message is one sentence."""
