"""The errors chunkviz raises on purpose.

    ChunkvizError
    ├── LoadError        a file that cannot be read: what is wrong with it, and what to do
    ├── ParameterError   a value outside what a strategy declares: the legal range, and what was given
    ├── StrategyError    a strategy that is unknown, unavailable or that broke one of the promises P1-P5
    ├── EmbedderError    an embedding model that cannot be loaded or answers wrongly
    ├── LLMError         a language model endpoint that fails or answers wrongly
    └── Stopped          long work that someone asked to stop

Every message is one or two sentences for the person in front of the screen. Anything else that escapes is a bug.
"""

from __future__ import annotations


class ChunkvizError(Exception):
    """Base of every error that chunkviz raises on purpose; catch this one to catch them all."""


class Stopped(ChunkvizError):  # noqa: N818  # not a fault: someone asked for it
    """Long work was stopped because someone asked for it."""


class LoadError(ChunkvizError):
    """A document cannot be read. `needs_password` tells the app to ask for one instead of giving up."""

    def __init__(self, message: str, *, needs_password: bool = False) -> None:
        super().__init__(message)
        self.needs_password = needs_password


class ParameterError(ChunkvizError):
    """A parameter is outside its declaration."""


class StrategyError(ChunkvizError):
    """A strategy is unknown, cannot run here, or returned something that breaks a promise."""


class EmbedderError(ChunkvizError):
    """An embedding model cannot be loaded, or its answer does not fit the question."""


class LLMError(ChunkvizError):
    """A language model endpoint cannot be reached, or its answer cannot be used."""
