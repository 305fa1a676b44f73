"""Language models behind any OpenAI-compatible endpoint: OpenAI, Azure, Ollama, vLLM, LM Studio, llama.cpp.

An endpoint comes from the environment (`OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`) or from a session:

    with llm.using(llm.Endpoint("http://127.0.0.1:11434/v1", model="qwen3:4b")):
        chunkviz.chunk(document, "llm")

It is never a parameter of a strategy, so no key can reach a recipe, a link, a cache or an export. Nothing is ever sent
to a host that nobody named: without `OPENAI_BASE_URL`, a key alone starts nothing.
"""

from chunkviz.llm.client import DEFAULT_MODEL, Client, available, client, refuse_too_many, unanswered, using
from chunkviz.llm.endpoint import Endpoint, Limits
from chunkviz.llm.questions import Answer, Estimate, Question, Usage, estimate
from chunkviz.llm.reading import Unusable

__all__ = [
    "DEFAULT_MODEL",
    "Answer",
    "Client",
    "Endpoint",
    "Estimate",
    "Limits",
    "Question",
    "Unusable",
    "Usage",
    "available",
    "client",
    "estimate",
    "refuse_too_many",
    "unanswered",
    "using",
]
