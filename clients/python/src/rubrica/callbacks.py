"""Verifies callbacks, the service's messages to a shop about its orders."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Mapping, Sequence
from urllib.parse import unquote_to_bytes

from .grammar import callback_problems, decimals_of
from .problems import PROTOCOL, CallbackRefused, problem
from .signing import CALLBACK_FIELDS, SIGNATURE_FIELD, check_fields, signature_matches, signing_message

_MOST_FIELDS = 64
_LONGEST_VALUE = 4096
_MOST_SIGNATURES = 8
_JSON = "it is JSON, and callbacks are posted as a form: give the body as it came, such as request.get_data()"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_WRONG_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Callback:
    """A genuine callback. It may be old or repeated: check the state of your order before you change it."""

    reference: str
    #: A decimal number as text, such as ``12990.00``.
    amount: str
    currency: str
    #: ``completed``, ``failed`` or ``pending``.
    result: str
    message: str
    #: ``idTrx`` of the transaction.
    transaction_id: str
    #: The time of the event, not of the delivery: ``2026-01-15T12:01:30.000Z``.
    timestamp: str
    test: bool
    #: The same for each repeat of this callback; None when it came from the payer's browser.
    webhook_id: str | None
    #: Counts the events of a transaction; a lower number than your last one is an older event. None without the header.
    sequence: int | None
    fields: Mapping[str, str]

    def compare_with(self, *, amount: int | str | Decimal, currency: str) -> None:
        """Raises ``CallbackRefused`` unless the callback is for your order with this amount: 12990 in CLP, "12.50" in USD."""
        if self.currency != currency:
            raise CallbackRefused(problem("CURRENCY_MISMATCH", "x_currency"))
        if Decimal(self.amount) != _plain_amount(amount, currency):
            raise CallbackRefused(problem("AMOUNT_MISMATCH", "x_amount"))


class CallbackVerifier:
    """Verifies callbacks for one payment service.

    ``secrets`` is the Secret Token; both of them during a rotation. ``test`` is True for development tokens: a
    completed test is not a payment.
    """

    def __init__(self, *, account: str, secrets: str | Sequence[str], test: bool, tolerance_seconds: int = 300):
        self._account = account
        self._secrets = [secrets] if isinstance(secrets, str) else list(secrets)
        if not self._secrets or not all(isinstance(one, str) and one for one in self._secrets):
            raise TypeError("Every Secret Token must be a text that is not empty")
        self._test = test
        self._tolerance = tolerance_seconds

    def __repr__(self) -> str:
        return f"CallbackVerifier(account={self._account!r}, test={self._test!r})"

    def verify(self, body: bytes | str, headers: Mapping[str, str], *, now: float | None = None) -> Callback:
        """Verifies a callback, from the raw body and the headers of its request. Raises ``CallbackRefused``."""
        raw = body.encode() if isinstance(body, str) else bytes(body)
        fields = self._genuine(raw)
        found = {name.lower(): str(value) for name, value in headers.items()}
        self._check_headers(raw, found, time.time() if now is None else now)
        self._check_addressee(fields)
        sequence = found.get("rubrica-sequence", "")
        return _callback(fields, found["webhook-id"], int(sequence) if re.fullmatch("[0-9]{1,15}", sequence) else None)

    def verify_return(self, body: bytes | str) -> Callback:
        """Verifies the same fields when the payer's browser posts them to ``x_url_complete``. Act on the callback, not on these."""
        fields = self._genuine(body.encode() if isinstance(body, str) else bytes(body))
        self._check_addressee(fields)
        return _callback(fields, None, None)

    def verify_notice(self, body: bytes | str, headers: Mapping[str, str], *, now: float | None = None) -> dict[str, Any]:
        """Verifies the JSON event of a refund or a payout, and returns it. Raises ``CallbackRefused``.

        ``body`` is the raw body. The header ``webhook-id`` is the same for each repeat.
        """
        raw = body.encode() if isinstance(body, str) else bytes(body)
        found = {name.lower(): str(value) for name, value in headers.items()}
        self._check_headers(raw, found, time.time() if now is None else now)
        try:
            notice = json.loads(raw)
        except ValueError:
            notice = None
        if isinstance(notice, dict):
            return notice
        # The same key signs the headers of callbacks, so a callback gets this far.
        raise CallbackRefused(problem("NOT_AN_OBJECT", None, "it is a callback, for verify"))

    def _genuine(self, body: bytes) -> dict[str, str]:
        # Its signature would fail too, but that error would not name the cause.
        if body.startswith(b"{"):
            raise CallbackRefused(problem("WEBHOOK_SIGNATURE_INVALID", None, _JSON))
        received = _read_form(body)
        signature = received.pop(SIGNATURE_FIELD, None)
        values, problems = check_fields(received, CALLBACK_FIELDS)
        if problems:
            raise CallbackRefused(problems[0])
        if signature is None:
            raise CallbackRefused(problem("SIGNATURE_MISSING", SIGNATURE_FIELD))
        if not signature_matches(signing_message(values), signature, self._secrets):
            raise CallbackRefused(problem("SIGNATURE_INVALID", SIGNATURE_FIELD))
        for fault in callback_problems(values):
            raise CallbackRefused(fault)
        return values

    def _check_headers(self, body: bytes, headers: Mapping[str, str], now: float) -> None:
        """Verifies the headers of Standard Webhooks, so that a captured request cannot be replayed later."""
        given = [headers.get(name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")]
        if given == [None, None, None]:
            raise CallbackRefused(problem("WEBHOOK_HEADERS_MISSING", None))
        event, sent_at, signatures = (value or "" for value in given)
        signed = f"{event}.{sent_at}.".encode() + body
        expected = [_webhook_signature(signed, secret) for secret in self._secrets]
        received = [one.encode() for one in signatures.split(" ")[:_MOST_SIGNATURES]]
        if not any([hmac.compare_digest(one, other) for one in expected for other in received]) or not event:
            raise CallbackRefused(problem("WEBHOOK_SIGNATURE_INVALID", None))
        if not re.fullmatch("[0-9]{1,12}", sent_at) or abs(now - int(sent_at)) > self._tolerance:
            raise CallbackRefused(problem("WEBHOOK_TIME_REFUSED", None))

    def _check_addressee(self, fields: Mapping[str, str]) -> None:
        if fields["x_account_id"] != self._account:
            raise CallbackRefused(problem("ACCOUNT_MISMATCH", "x_account_id"))
        if fields["x_test"] != ("true" if self._test else "false"):
            raise CallbackRefused(problem("TEST_MISMATCH", "x_test"))


def _callback(fields: Mapping[str, str], webhook_id: str | None, sequence: int | None) -> Callback:
    return Callback(
        reference=fields["x_reference"],
        amount=fields["x_amount"],
        currency=fields["x_currency"],
        result=fields["x_result"],
        message=fields["x_message"],
        transaction_id=fields["x_gateway_reference"],
        timestamp=fields["x_timestamp"],
        test=fields["x_test"] == "true",
        webhook_id=webhook_id,
        sequence=sequence,
        fields=fields,
    )


def _webhook_signature(signed: bytes, secret: str) -> bytes:
    """Signs with a separate key (HKDF-SHA256 of the Secret Token): neither signature can replace the other."""
    extracted = hmac.new(bytes(32), secret.encode(), hashlib.sha256).digest()
    key = hmac.new(extracted, PROTOCOL["webhook_key_label"].encode() + b"\x01", hashlib.sha256).digest()
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _read_form(body: bytes) -> dict[str, str]:
    """Parses the form and refuses repeated names. Lenient parsers give two bodies one meaning."""
    fields: dict[str, str] = {}
    for pair in _decode(body, None).split("&"):
        if pair == "":
            continue
        written, _, value = pair.partition("=")
        name = _unescape(written, None)
        if name in fields:
            raise CallbackRefused(problem("DUPLICATE_KEY", name))
        if len(fields) == _MOST_FIELDS:
            raise CallbackRefused(problem("TOO_MANY_FIELDS", None))
        fields[name] = _unescape(value, name)
    return fields


def _unescape(text: str, name: str | None) -> str:
    if _WRONG_ESCAPE.search(text):
        raise CallbackRefused(problem("INVALID_ENCODING", name, "a percent escape is wrong"))
    value = _decode(unquote_to_bytes(text.replace("+", " ")), name)
    if len(value) > _LONGEST_VALUE:
        raise CallbackRefused(problem("FIELD_TOO_LONG", name))
    if _CONTROL.search(value):
        raise CallbackRefused(problem("CONTROL_CHARACTER", name))
    return value


def _decode(text: bytes, name: str | None) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        raise CallbackRefused(problem("INVALID_ENCODING", name, "these bytes are not UTF-8")) from None


def _plain_amount(amount: int | str | Decimal, currency: str) -> Decimal:
    """Refuses an ambiguous amount: ``1.000`` in CLP is one to a program and a thousand to a person in Chile."""
    if isinstance(amount, (bool, float)):
        raise TypeError("Give the amount of your order as an integer, a text or a Decimal")
    # A Decimal is unambiguous, also with trailing zeros from a database column or as 1.299E+4.
    if isinstance(amount, Decimal) and amount.is_finite() and amount >= 0:
        return amount
    text, decimals = str(amount), decimals_of(currency)
    fraction = text.partition(".")[2]
    if decimals is None or not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text):
        raise TypeError(f"The amount of your order, {text} {currency}, is not an amount")
    if len(fraction) > decimals and fraction not in ("0", "00"):
        raise TypeError(f"The amount of your order, {text} {currency}, could be read in two ways: it has {decimals} decimals")
    return Decimal(text)
