"""chunkviz shows how documents are cut into chunks for retrieval, and which cut serves them best.

    import chunkviz

    doc = chunkviz.load("handbook.pdf")
    for c in chunkviz.chunk(doc, "recursive", size=512, overlap=50).chunks:
        print(c.start, c.end, c.tokens, c.reason)

Neither streamlit nor torch is imported by this package itself; the app and the embedding models load them.
"""

from chunkviz.chunking import Chunk, Chunking, Curve, Dropped
from chunkviz.document import Block, Document, Note, Page
from chunkviz.engine import chunk
from chunkviz.errors import ChunkvizError, EmbedderError, LLMError, LoadError, ParameterError, Stopped, StrategyError
from chunkviz.evaluate import evaluate
from chunkviz.evaluation import Evaluation
from chunkviz.loaders import load
from chunkviz.recipe import Recipe
from chunkviz.registry import strategies
from chunkviz.report import Report, report
from chunkviz.spans import Span

__version__ = "0.1.0"

__all__ = [
    "Block",
    "Chunk",
    "Chunking",
    "ChunkvizError",
    "Curve",
    "Document",
    "Dropped",
    "EmbedderError",
    "Evaluation",
    "LLMError",
    "LoadError",
    "Note",
    "Page",
    "ParameterError",
    "Recipe",
    "Report",
    "Span",
    "Stopped",
    "StrategyError",
    "chunk",
    "evaluate",
    "load",
    "report",
    "strategies",
]
