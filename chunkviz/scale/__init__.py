"""The same recipe over many documents: a process for each core, each file parsed with limits, resumable."""

from chunkviz.scale.applying import FORMATS, Outcome, Source, apply, processes
from chunkviz.scale.journal import NAME as JOURNAL

__all__ = ["FORMATS", "JOURNAL", "Outcome", "Source", "apply", "processes"]
