"""What the scripted endpoint says to the questions of `chunkviz.answering`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from scripted_server import Handler, Request, say

from chunkviz.answering import INSTRUCTIONS, Kind


def kind_of(request: Request) -> Kind:
    told = request.body["messages"][0]["content"]
    return next(kind for kind, text in INSTRUCTIONS.items() if told.startswith(text))


def scripted(**replies: Any) -> Callable[[Handler, Request], None]:
    """Answers each kind of question with a JSON object, or as a function of its text says."""

    def step(handler: Handler, request: Request) -> None:
        kind = kind_of(request)
        reply = replies[kind]
        value = reply(request.body["messages"][1]["content"]) if callable(reply) else reply
        say(json.dumps({kind: value}))(handler, request)

    return step
