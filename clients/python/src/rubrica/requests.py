"""Sends requests, and retries those that are safe to repeat."""
from __future__ import annotations

import http.client
import io
import json
import random
import re
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Sequence, TypeVar
from urllib.parse import urlencode, urlsplit

from .errors import RubricaError

Reply = TypeVar("Reply")
_MOST_ATTEMPTS = 4
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


class Connection:
    """The address of the service. Each request opens its own connection, because a shop sends few."""

    def __init__(self, base_url: str, timeout: float):
        self.base_url = _read_base_url(base_url)
        self._timeout = timeout

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        reads: Sequence[str] = ("data",),
        holds: Sequence[str] = (),
    ) -> Any:
        """Returns the value at the path ``reads`` of a good response. The value must have every member in ``holds``.

        Raises ``RubricaError`` for every other response, and when none came.
        """
        asked = urlencode({name: value for name, value in (query or {}).items() if value is not None})
        sent = {name: value for name, value in (headers or {}).items() if value is not None}
        for name, value in sent.items():
            # Python's own error would show the value, which may be a token.
            if not re.fullmatch(r"[\t -~]*", value):
                raise TypeError(f"What is to be sent as {name} holds a line break or another such character")
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        if content is not None:
            sent["Content-Type"] = "application/json"
        request = f"{method} {self.base_url}{path}"
        status, received, text = self._exchange(request, method, path + (f"?{asked}" if asked else ""), content, sent)
        reply = _parse_object(text)
        value: Any = reply if 200 <= status < 300 else None
        for name in reads:
            value = _member(value, name)
        if value is not None and all(_member(value, name) is not None for name in holds):
            return value
        raise _refusal(request, status, received, reply, sent.get("Idempotency-Key"))

    def _exchange(
        self, request: str, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        url = urlsplit(self.base_url)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=self._timeout)
        try:
            try:
                connection.connect()
            except OSError as cause:
                raise _not_sent(request, cause, headers.get("Idempotency-Key")) from cause
            deadline = time.monotonic() + self._timeout
            connection.response_class = lambda sock, *args, **options: _TimelyResponse(sock, deadline, *args, **options)
            connection.request(method, url.path + path, content, dict(headers))
            answer = connection.getresponse()
            text = answer.read()
            # A response without a length can be cut off unnoticed.
            if 200 <= answer.status < 300 and text[:1] in (b"", b"{") and _parse_object(text) is None:
                raise http.client.HTTPException("the answer was cut off")
            return answer.status, answer.headers, text
        except (OSError, http.client.HTTPException) as cause:
            late = isinstance(cause, socket.timeout)
            why = f"no answer within {self._timeout:g} s" if late else f"no answer: {cause}"
            key = headers.get("Idempotency-Key")
            next_step = f"Call again with the idempotency key {key}."
            if key is None:
                next_step = "Ask what became of it, or call again with the same reference."
            detail = f"It may have been done or not ({why}). {next_step}"
            raise RubricaError(
                "NO_ANSWER", detail, request, title="No answer", retryable=True, idempotency_key=key
            ) from cause
        finally:
            connection.close()


class _TimelyResponse(http.client.HTTPResponse):
    """A response with a deadline. A socket's own time-out restarts with every byte."""

    def __init__(self, sock: socket.socket, deadline: float, *args: Any, **options: Any):
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_TimelyReader(sock, self.fp, deadline))


class _TimelyReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, file: io.BufferedIOBase, deadline: float):
        # The file keeps the socket open until the response is read.
        self._sock, self._file, self._deadline = sock, file, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout
        self._sock.settimeout(left)
        return self._sock.recv_into(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class Doubt:
    """The last error after which a call may have been carried out."""

    error: RubricaError | None = None


def repeat(attempt: Callable[[], Reply], patience: float, doubt: Doubt | None = None) -> Reply:
    """Calls up to four times while a retry may help. Only for calls that may run twice.

    The last attempt begins at most ``patience`` seconds after the first. ``doubt`` has the error of earlier attempts.
    """
    start = time.monotonic()
    doubt = doubt or Doubt()
    for failures in range(1, _MOST_ATTEMPTS + 1):
        try:
            return attempt()
        except RubricaError as error:
            # The last attempt may be unsent, rate-limited or answered by a proxy: that does not prove that no earlier
            # one was done.
            says_nothing = error.code in ("NOT_SENT", "UNREADABLE_ANSWER") or error.status == 429
            may_be_done = error.code == "NO_ANSWER" or (error.status or 0) >= 500
            # After a call without a response, a proxy's response adds no information.
            if may_be_done and (doubt.error is None or doubt.error.code != "NO_ANSWER"):
                doubt.error = error
            wait = (error.retry_after or 0) + _FIRST_WAIT * 2 ** (failures - 1) * random.uniform(0.5, 1)
            is_late = wait > _LONGEST_WAIT or time.monotonic() - start + wait > patience
            if not error.retryable or is_late or failures == _MOST_ATTEMPTS:
                raise (doubt.error or error) if says_nothing else error
        time.sleep(wait)
    raise AssertionError("the last attempt answers or raises")


def _not_sent(request: str, cause: OSError, key: str | None) -> RubricaError:
    if isinstance(cause, ssl.SSLError) and cause.reason in ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG"):
        fix = "The port does not answer with TLS: check the port of base_url, or write http: for a service in development."
    elif isinstance(cause, ssl.SSLError):
        fix = "Check the certificate of the service, and SSL_CERT_FILE for one that your company issued."
    elif isinstance(cause, socket.gaierror):
        fix = "Check the host of base_url, and the name servers."
    elif isinstance(cause, socket.timeout):
        fix = "Check the host and port of base_url, and the firewalls on the way."
    else:
        fix = "Check that the service runs, and the host and port of base_url."
    what = f"There was no connection ({cause.strerror or cause}), so nothing was sent. {fix}"
    return RubricaError("NOT_SENT", what, request, title="Not sent", retryable=True, idempotency_key=key)


def _refusal(
    request: str, status: int, headers: http.client.HTTPMessage, reply: dict[str, Any] | None, key: str | None
) -> RubricaError:
    told: dict[str, Any] = {
        "code": "UNREADABLE_ANSWER",
        "detail": f"Something else than the service answered, with status {status}. Check base_url and the proxies.",
    }
    if reply is not None and _is_problem(reply):
        told = reply
    elif reply is not None and status == 200 and _is_refused_refund(reply):
        told = {"code": reply["code"], "detail": reply["message"]}
    data = told.get("data")
    # A retry cannot help: the operator must configure a payment method.
    retryable = (status == 429 or status >= 500) and told["code"] != "NO_PAYMENT_METHOD"
    return RubricaError(
        str(told["code"]),
        str(told["detail"]),
        request,
        status=status,
        title=str(told.get("title", "")),
        errors=told.get("errors") or [],
        request_id=told.get("request_id"),
        retryable=retryable,
        retry_after=_retry_after(headers.get("Retry-After")),
        idempotency_key=key,
        data=data if isinstance(data, dict) else None,
    )


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _is_refused_refund(reply: dict[str, Any]) -> bool:
    """A refused refund has status 200, a code and ``data: null``. A gateway's response has no ``data: null``."""
    texts = (reply.get("code"), reply.get("message"))
    return all(isinstance(text, str) for text in texts) and reply.get("data", reply) is None


def _is_problem(reply: dict[str, Any]) -> bool:
    """Checks the whole shape, because a gateway's errors may also have a code and a detail."""
    errors = reply.get("errors", [])
    is_list = isinstance(errors, list) and all(isinstance(one, dict) for one in errors)
    return isinstance(reply.get("code"), str) and isinstance(reply.get("detail"), str) and is_list


def _retry_after(value: str | None) -> float | None:
    """Reads a number of seconds or a date. Returns seconds."""
    if value is None:
        return None
    try:
        return float(value) if re.fullmatch("[0-9]+", value) else max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _parse_object(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _read_base_url(text: str) -> str:
    if "@" in text:
        raise TypeError("base_url holds a user or a password: give RubricaClient a login instead")
    try:
        url = urlsplit(text if re.fullmatch(r"[^\s\x00-\x1f\x7f]+", text) else "")
        # Names such as pay..example.cl have no form that Python can look up.
        has_host = bool((url.hostname or "").encode("idna"))
        is_whole = url.scheme in ("http", "https") and has_host and url.path.isascii() and url.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        # Suggest http only for a service on this machine.
        scheme = "http" if re.match(r"localhost|127\.", text) else "https"
        example = f"{scheme}://{text}" if re.match(r"[\w.-]+(?::\d+)?(?:/|$)", text) else "https://pay.example.cl"
        raise TypeError(f"base_url is {text!r}: write the whole address, with its scheme, such as {example}")
    if url.query or url.fragment:
        raise TypeError("base_url has a query or a fragment: leave out what follows the path")
    return url.geturl().rstrip("/")
