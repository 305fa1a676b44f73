"""The metrics of one chunking, in the order they are shown. A new family is its file and one line here."""

from typing import Final

from chunkviz.metrics.base import Finding, Metric, Result
from chunkviz.metrics.coverage import COVERAGE
from chunkviz.metrics.cuts import CUTS
from chunkviz.metrics.sizes import SIZES
from chunkviz.metrics.truncation import TRUNCATION

METRICS: Final[tuple[Metric, ...]] = (*SIZES, *COVERAGE, *CUTS, *TRUNCATION)

__all__ = ["METRICS", "Finding", "Metric", "Result"]
