"""Any sentence-transformers model, from a folder or from what the Hugging Face hub has left on this disk.

A name is turned into a folder first, and the model is then loaded from the folder: so no request, and no wait for
one, happens unless a download was asked for. Only safetensors weights are read, and no code that lies beside them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chunkviz.embed.base import Vectors
from chunkviz.embed.checks import encodable, unit_rows
from chunkviz.errors import EmbedderError

if TYPE_CHECKING:
    import sentence_transformers

_ORGANISATION: Final = "sentence-transformers"  # the one whose models are called without it
_COMMIT: Final = re.compile("[0-9a-f]{40}")
_READ: Final = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja")
_NOT_READ: Final = ("onnx/*", "openvino/*", "tf/*", "original/*")
_BATCH: Final = 64


class SentenceTransformerEmbedder:
    """One such model, in float32, on the device that torch finds best.

    name  : as recipes spell it
    model : the loaded model
    """

    def __init__(self, name: str, revision: str, model: sentence_transformers.SentenceTransformer) -> None:
        dimensions = _dimensions(model)
        if dimensions is None:
            raise EmbedderError(f"The model {name!r} does not say how long its vectors are.")
        self.name = name
        self.revision = revision
        self.settings = "sentence-transformers, float32"
        self.dimensions = dimensions
        self.limit = _limit(model)
        self._model = model

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """float32 (len(texts), d), unit rows, whether the model itself normalises or not."""
        made = self._model.encode(
            [encodable(text) for text in texts],
            batch_size=_BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        if not texts:
            made = made.reshape(0, self.dimensions)
        return unit_rows(made, texts, self.name)


def load(name: str, *, download: bool, instead: Sequence[str]) -> SentenceTransformerEmbedder:
    """The model of this name, or in this folder.

    Raises `EmbedderError` with what can be loaded `instead` where it is not here, cannot be fetched, has no
    safetensors weights or needs code of its own.
    """
    where = Path(name).expanduser()
    if not any((where / file).is_file() for file in ("modules.json", "config.json")):
        found = _downloaded_to(name) or (_fetched(name) if download else None)
        if found is None:
            raise EmbedderError(
                f"There is no embedding model {name!r} on this computer. "
                f"Can be loaded without a network: {', '.join(instead) or 'none'}; or a folder that holds a model."
            )
        where = found
    _check(where, name)
    revision = where.name if _COMMIT.fullmatch(where.name) else _hash(where)

    from sentence_transformers import SentenceTransformer  # seconds of import, for those who chose such a model

    try:
        model = SentenceTransformer(
            str(where), local_files_only=True, trust_remote_code=False, model_kwargs={"use_safetensors": True}
        )
    except Exception as error:  # whatever is wrong with a stranger's files comes out in many forms
        raise EmbedderError(f"The model {name!r} cannot be loaded: {_first_line(error)}") from error
    return SentenceTransformerEmbedder(name, revision, model.float().eval())


def downloaded() -> list[str]:
    """Names of the models that lie complete in the Hugging Face cache, sorted."""
    from huggingface_hub.constants import HF_HUB_CACHE

    folders = {modules.parents[2] for modules in Path(HF_HUB_CACHE).glob("models--*/snapshots/*/modules.json")}
    names = (folder.name.removeprefix("models--").replace("--", "/") for folder in folders)
    return sorted(name.removeprefix(f"{_ORGANISATION}/") for name in names if _downloaded_to(name))


def _repositories(name: str) -> tuple[str, ...]:
    return (name,) if "/" in name else (f"{_ORGANISATION}/{name}", name)


def _downloaded_to(name: str) -> Path | None:
    """The snapshot of a model in the Hugging Face cache; no request is made."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    for repository in _repositories(name):
        try:
            found = Path(snapshot_download(repository, local_files_only=True))
        except (HFValidationError, LocalEntryNotFoundError):
            continue
        if any(found.rglob("*.safetensors")):
            return found
    return None


def _fetched(name: str) -> Path | None:
    """The snapshot of a model after its download; None where the hub has no model of this name."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    for repository in _repositories(name):
        try:
            return Path(
                snapshot_download(
                    repository, allow_patterns=list(_READ), ignore_patterns=list(_NOT_READ), etag_timeout=5
                )
            )
        except (HFValidationError, RepositoryNotFoundError):
            continue
        except Exception as error:  # the network in all its forms
            raise EmbedderError(f"The model {repository!r} cannot be downloaded: {_first_line(error)}") from error
    return None


def _check(folder: Path, name: str) -> None:
    """Refuse what would run code from the folder, and weights that are a pickle."""
    if not any(folder.rglob("*.safetensors")):
        raise EmbedderError(f"The model {name!r} has no safetensors weights in {folder}; other kinds are not read.")
    modules = folder / "modules.json"
    try:
        types = [str(module["type"]) for module in json.loads(modules.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return  # a plain transformers model: mean pooling is put on top
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise EmbedderError(f"The model {name!r} cannot be loaded: its modules.json cannot be read.") from error
    own = [kind for kind in types if not kind.startswith("sentence_transformers.")]
    if own:
        raise EmbedderError(f"The model {name!r} needs code of its own ({own[0]}), which is never run.")


def _hash(folder: Path) -> str:
    """SHA-256 over the files that decide the vectors, with their names."""
    total = hashlib.sha256()
    for file in sorted(path for pattern in _READ for path in folder.rglob(pattern)):
        with file.open("rb") as data:
            content = hashlib.file_digest(data, "sha256").hexdigest()
        total.update(f"{file.relative_to(folder).as_posix()}\0{content}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _dimensions(model: Any) -> int | None:
    # Renamed in the course of time; the old name warns.
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    found: int | None = ask()
    return found


def _limit(model: Any) -> int | None:
    most = getattr(model, "max_seq_length", None)
    if most is None:
        return None
    tokenizer = getattr(model, "tokenizer", None)
    count = getattr(tokenizer, "num_special_tokens_to_add", None)
    return int(most) - (int(count()) if callable(count) else 0)


def _first_line(error: BaseException) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return text if len(text) <= 300 else text[:300] + "…"
