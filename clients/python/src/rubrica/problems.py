"""The problems of messages. protocol.json is generated from the service's protocol."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

PROTOCOL = json.loads(Path(__file__).with_name("protocol.json").read_text("utf-8"))
_LONGEST_SHOWN_NAME = 64


@dataclass(frozen=True)
class Problem:
    """One error. ``message`` and ``fix`` never contain a value, so they are safe to show."""

    code: str
    field: str | None
    message: str
    fix: str


class SigningError(ValueError):
    """Raised for an order that must not be signed. ``problems`` has every error."""

    def __init__(self, problems: list[Problem]):
        super().__init__(" ".join(f"{one.code}: {one.message} {one.fix}" for one in problems))
        self.problems = problems
        self.code, self.field, self.fix = problems[0].code, problems[0].field, problems[0].fix


class CallbackRefused(ValueError):
    """Raised for a callback that must not be acted on. Respond with 400."""

    def __init__(self, problem: Problem):
        super().__init__(f"{problem.code}: {problem.message} {problem.fix}")
        self.code, self.field, self.fix = problem.code, problem.field, problem.fix


def problem(code: str, field: str | None, detail: str | None = None) -> Problem:
    what, fix = PROTOCOL["problems"][code]
    shown = None if field is None else field[:_LONGEST_SHOWN_NAME]
    subject = "The body" if shown is None else shown or "The empty name"
    return Problem(code, shown, f"{subject} {what}{'' if detail is None else f': {detail}'}.", fix)
