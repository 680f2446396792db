"""Signs with HMAC-SHA256 over the names and values of the fields, ordered by name, without separators.

Without separators, two different orders could have the same signature. So an order is checked before it is signed:
exactly the ten fields, text only, and no value that contains a field name.
"""
from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any, Iterable, Mapping

from .grammar import request_problems
from .problems import PROTOCOL, Problem, SigningError, problem

REQUEST_FIELDS: list[str] = PROTOCOL["request_fields"]
CALLBACK_FIELDS: list[str] = PROTOCOL["callback_fields"]
UNSIGNED_FIELDS: list[str] = PROTOCOL["unsigned_fields"]
SIGNATURE_FIELD = "x_signature"
_NUMERIC = ("x_amount", "x_reference")
_LARGEST_INTEGER = 2**53 - 1
_ANY_NAME = re.compile("|".join({*REQUEST_FIELDS, *CALLBACK_FIELDS, *UNSIGNED_FIELDS, SIGNATURE_FIELD}))


def sign(order: Mapping[str, Any], secret: str, *, allow_http: bool = False) -> dict[str, Any]:
    """Returns the complete body. Send it as JSON, unchanged, from your server.

    The amount and the reference may be integers. ``allow_http`` allows ``http://localhost`` addresses, for development.
    Raises ``SigningError`` with every error.
    """
    _require_secret(secret)
    sent = {name: value for name, value in order.items() if name != SIGNATURE_FIELD}
    values, problems = check_fields(sent, REQUEST_FIELDS, UNSIGNED_FIELDS, _NUMERIC)
    problems = problems or request_problems(values, allow_http)
    if problems:
        raise SigningError(problems)
    return {**sent, **values, SIGNATURE_FIELD: signature_of(signing_message(values), secret)}


def signing_message(fields: Mapping[str, Any]) -> str:
    """Returns the text to sign. It identifies one order only if the fields follow the rules."""
    signed = (name for name in fields if name.startswith("x_") and name != SIGNATURE_FIELD)
    # Order by bytes. Names outside ASCII do not occur, and would have the same order.
    ordered = sorted(signed, key=lambda name: name.encode())
    return "".join(name + _text_of(fields[name]) for name in ordered if not _is_left_out(fields[name]))


def signature_of(message: str, secret: str) -> str:
    """Returns 64 lower-case hexadecimal digits. The secret is used as text, even if it looks like hexadecimal."""
    _require_secret(secret)
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()


def signature_matches(message: str, signature: str, secrets: Iterable[str]) -> bool:
    if not re.fullmatch("[0-9a-f]{64}", signature):
        return False
    return any([hmac.compare_digest(signature_of(message, secret), signature) for secret in secrets])


def check_fields(
    fields: Mapping[str, Any], signed: list[str], unsigned: Iterable[str] = (), numeric: Iterable[str] = ()
) -> tuple[dict[str, str], list[Problem]]:
    """Returns the text of every signed field, and every problem that would make the signature ambiguous."""
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for name, value in fields.items():
        if name in signed:
            fault = _fault_of(name, value, name in numeric)
            if fault is None:
                values[name] = str(value)
            else:
                problems.append(fault)
        elif name in unsigned:
            if not isinstance(value, (dict, list)):
                problems.append(problem("INVALID_TYPE", name))
        else:
            problems.append(problem("UNKNOWN_FIELD", name))
    problems += [problem("MISSING_FIELD", name) for name in signed if name not in fields]
    return values, problems


def _fault_of(name: str, value: Any, may_be_number: bool) -> Problem | None:
    # Floats are refused: one float can be printed as two texts. True is an int in Python.
    if may_be_number and type(value) is int and abs(value) <= _LARGEST_INTEGER:
        return None
    if not isinstance(value, str):
        return problem("INVALID_TYPE", name)
    if value == "":
        return problem("EMPTY_FIELD", name)
    contained = _ANY_NAME.search(value)
    return None if contained is None else problem("AMBIGUOUS_FIELD", name, contained[0])


def _is_left_out(value: Any) -> bool:
    return value is None or isinstance(value, (dict, list))


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        raise TypeError("A float is printed in several ways: sign an integer or a text")
    return str(value)


def _require_secret(secret: str) -> None:
    if not isinstance(secret, str) or secret == "":
        raise TypeError("The Secret Token must be a text that is not empty")
