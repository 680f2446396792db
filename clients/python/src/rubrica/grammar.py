"""Checks the form of every value, so that errors are found before the request. The service checks it too."""
from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Mapping

from .problems import PROTOCOL, Problem, problem

_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,10})(?:\.([0-9]+))?")
_ACCOUNT_ID = re.compile(r"[!-~]+")
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_LATIN_WORD = r"[\u0021-\u007e\u00a1-\u00ac\u00ae-\u00ff]+"
_LATIN_TEXT = re.compile(f"{_LATIN_WORD}(?: +{_LATIN_WORD})*")
_UTC_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,9})?Z")
_LOCAL_WORD = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_EMAIL = re.compile(
    rf"(?=.{{1,254}}$)(?=[^@]{{1,64}}@){_LOCAL_WORD}(?:\.{_LOCAL_WORD})*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[xX][nN]--[A-Za-z0-9-]{1,59})"
)
_HOST_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
# URLs that every parser leaves unchanged: lower-case host, no user, no fragment, no character that needs escaping.
_URL = re.compile(
    rf"(https?)://({_HOST_LABEL}(?:\.{_HOST_LABEL})*|\[[0-9a-f:]+\])(:[1-9][0-9]{{0,4}})?"
    r"(/[!$-;=@-\[\]_a-z|~]*)?(\?[!$-&(-;=?-~]*)?"
)
_NUMBER_AT_END = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_BYTE = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_IPV4 = re.compile(rf"{_BYTE}(?:\.{_BYTE}){{3}}")
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


def request_problems(values: Mapping[str, str], allow_http: bool) -> list[Problem]:
    found = [
        _form(values, "x_account_id", _ACCOUNT_ID, 100, "INVALID_ACCOUNT_ID"),
        *_money(values),
        _form(values, "x_customer_email", _EMAIL, 254, "INVALID_EMAIL"),
        _form(values, "x_reference", _LATIN_TEXT, 100, "INVALID_REFERENCE"),
        _session_id(values),
        _form(values, "x_shop_country", _COUNTRY, 2, "INVALID_COUNTRY"),
        *(_url(values, name, allow_http) for name in ("x_url_callback", "x_url_cancel", "x_url_complete")),
    ]
    return [one for one in found if one is not None]


def callback_problems(values: Mapping[str, str]) -> list[Problem]:
    found = [
        _form(values, "x_account_id", _ACCOUNT_ID, 100, "INVALID_ACCOUNT_ID"),
        *_money(values),
        _form(values, "x_reference", _LATIN_TEXT, 100, "INVALID_REFERENCE"),
        None if values["x_result"] in ("completed", "failed", "pending") else problem("INVALID_RESULT", "x_result"),
        None if values["x_test"] in ("true", "false") else problem("INVALID_TEST", "x_test"),
        None if _is_time(values["x_timestamp"]) else problem("INVALID_TIMESTAMP", "x_timestamp"),
    ]
    return [one for one in found if one is not None]


def decimals_of(currency: str) -> int | None:
    return PROTOCOL["currency_exponents"].get(currency)


def is_amount(text: str, decimals: int) -> bool:
    """Returns whether a text is an amount above zero, with at most min(2, decimals) decimals; max(2, decimals) if all are zeros."""
    parts = _AMOUNT.fullmatch(text)
    if parts is None or Decimal(text) == 0:
        return False
    fraction = parts[2] or ""
    return len(fraction) <= (max(2, decimals) if fraction.strip("0") == "" else min(2, decimals))


def _money(values: Mapping[str, str]) -> list[Problem | None]:
    decimals = decimals_of(values["x_currency"])
    # Without a known currency, allow two decimals, so that one call reports both errors.
    return [
        problem("INVALID_CURRENCY", "x_currency") if decimals is None else None,
        None if is_amount(values["x_amount"], 2 if decimals is None else decimals) else problem("INVALID_AMOUNT", "x_amount"),
    ]


def _form(values: Mapping[str, str], name: str, form: re.Pattern[str], longest: int, code: str) -> Problem | None:
    text = values[name]
    if len(text) > longest and name != "x_shop_country":
        return problem("FIELD_TOO_LONG", name)
    return None if form.fullmatch(text) else problem(code, name)


def _session_id(values: Mapping[str, str]) -> Problem | None:
    if len(values["x_session_id"]) < 5:
        return problem("INVALID_SESSION_ID", "x_session_id")
    return _form(values, "x_session_id", _LATIN_TEXT, 100, "INVALID_SESSION_ID")


def _url(values: Mapping[str, str], name: str, allow_http: bool) -> Problem | None:
    url = values[name]
    if len(url) > 2048:
        return problem("FIELD_TOO_LONG", name)
    if name == "x_url_cancel" and re.match(r"/(?!/)", url):
        # A path is completed with the origin of x_url_complete.
        url = "/".join(values["x_url_complete"].split("/", 3)[:3]) + url
    return None if _is_plain_url(url, allow_http) else problem("INVALID_URL", name)


def _is_plain_url(text: str, allow_http: bool) -> bool:
    parts = _URL.fullmatch(text)
    if parts is None or _DOT_SEGMENT.search(parts[4] or ""):
        return False
    scheme, host, port = parts[1], parts[2], parts[3]
    if port in ((":443",) if scheme == "https" else (":80",)) or int((port or ":1")[1:]) > 65535:
        return False
    if len(host) > 253 or (_NUMBER_AT_END.fullmatch(host) and not _IPV4.fullmatch(host)):
        return False
    return allow_http or (scheme == "https" and (host.startswith("[") or "." in host))


def _is_time(text: str) -> bool:
    parts = _UTC_TIME.fullmatch(text)
    try:
        return parts is not None and datetime.strptime(parts[1], "%Y-%m-%dT%H:%M:%S") is not None
    except ValueError:
        return False
