"""A recipe: what makes a chunking again, as JSON. Hashable, without secrets; the key of every cache and export."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

from chunkviz import json_text
from chunkviz.errors import ParameterError
from chunkviz.given import expect


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list | tuple) else value


@dataclass(frozen=True, eq=False)
class Recipe:
    """Strategy, parameters, unit, loader options and the versions that decide where cuts fall.

    version  : of the strategy; it rises when the strategy's spans change. 0, in a recipe written by hand: any
    versions : name to version of the packages that decide counts or spans ("chunkviz", "quicktok-v1", ...)
    """

    strategy: str
    params: Mapping[str, Any]
    unit: str
    version: int = 1
    loader: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("params", "loader", "versions"):
            expect(getattr(self, name), Mapping, f"`{name}` of a recipe must be a mapping from names to values.")
            frozen = {key: _frozen(value) for key, value in getattr(self, name).items()}
            object.__setattr__(self, name, MappingProxyType(frozen))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, keys in a fixed order."""
        return {
            "strategy": self.strategy,
            "version": self.version,
            "params": dict(self.params),
            "unit": self.unit,
            "loader": dict(self.loader),
            "versions": dict(self.versions),
        }

    def to_json(self, indent: int | None = 2) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The recipe that `to_dict` wrote. Only `strategy` is needed. Raises `ParameterError` for anything unknown."""
        known = {"strategy", "version", "params", "unit", "loader", "versions"}
        if not isinstance(data, Mapping) or not isinstance(data.get("strategy"), str):
            raise ParameterError('A recipe is a JSON object with at least {"strategy": "<id>"}.')
        unknown = sorted(set(data) - known)
        if unknown:
            raise ParameterError(f"A recipe has no field {unknown[0]!r}. It has: {', '.join(sorted(known))}.")
        for name in ("params", "loader", "versions"):
            if not isinstance(data.get(name, {}), Mapping):
                raise ParameterError(f"`{name}` of a recipe must be a JSON object. Got {data[name]!r}.")
        return cls(
            strategy=data["strategy"],
            params=data.get("params", {}),
            unit=data.get("unit", "cl100k_base"),
            version=data.get("version", 0),
            loader=data.get("loader", {}),
            versions=data.get("versions", {}),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The recipe that `to_json` wrote. Raises `ParameterError` where it is none."""
        expect(text, str, "A recipe is read from text in JSON, as `to_json()` gives it.")
        try:
            data = json_text.read(text)
        except ValueError as error:
            raise ParameterError(f"The recipe is not JSON: {error}.") from None
        return cls.from_dict(data)

    @property
    def key(self) -> str:
        """SHA-256 of the canonical JSON, hex: equal recipes have equal keys on every machine."""
        canonical = json.dumps(self.to_dict(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.key)
