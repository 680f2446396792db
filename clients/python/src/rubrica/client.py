"""The client of shops and their back offices."""
from __future__ import annotations

import math
import threading
import time
import uuid
from typing import Any, Callable, Iterator, Mapping
from urllib.parse import quote

from .errors import RubricaError
from .requests import Connection, Doubt, repeat
from .signing import sign

# A token must not expire while a request is on its way.
_MARGIN = 30.0
_GRANTED = ("access_token_jwt", "expires_in")


class RubricaClient:
    """Every call raises ``RubricaError`` when the service refuses or does not answer.

    ``service_token`` and ``secret_token`` create transactions. All other calls need a user: an ``access_token``, an
    ``api_token``, or ``username`` and ``password``. The client gets and renews the access tokens of a login. Calls that are
    safe to repeat are retried up to three times. ``timeout``: the most seconds of an attempt. ``patience``: the last attempt of a
    call begins at most so many seconds after the first; 5 while a payer waits.
    """

    def __init__(
        self,
        base_url: str,
        *,
        service_token: str | None = None,
        secret_token: str | None = None,
        access_token: str | None = None,
        api_token: str | None = None,
        username: str | None = None,
        password: str | None = None,
        timeout: float = 10.0,
        patience: float = math.inf,
    ):
        self._connection, self._patience = Connection(base_url, timeout), patience
        self._service_token, self._secret_token = service_token, secret_token
        self._access_token, self._api_token = access_token, api_token
        self._username, self._password = username, password
        self._token: tuple[str, float] | None = None
        self._login_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"RubricaClient({self._connection.base_url!r})"

    def create_transaction(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Returns ``{"idTrx": 1001, "payUrl": [{"url": …}]}``: send the payer to the first address.

        ``order`` has the fields of a transaction without ``x_account_id`` and ``x_signature``. The same order again
        returns the same transaction. Raises ``SigningError`` for an order that must not be signed.
        """
        if not self._service_token or not self._secret_token:
            raise TypeError("Give RubricaClient a service_token and a secret_token for this")
        # A service without TLS is for development, where the shop may have no TLS either.
        allow_http = self._connection.base_url.startswith("http:")
        body = sign({**order, "x_account_id": self._service_token}, self._secret_token, allow_http=allow_http)
        return repeat(lambda: self._connection.send("POST", "/trxs", body=body, holds=("idTrx", "payUrl")), self._patience)

    def get_transaction(self, id_trx: int) -> dict[str, Any]:
        return self._ask("GET", f"/trxs/{_segment(id_trx)}", holds=("idTrx",))

    def get_status(self, id_trx: int) -> str:
        """Returns ``pending``, ``complete`` or ``failed``."""
        return self._ask("GET", f"/v2/trxs/{_segment(id_trx)}/status", reads=("data", "status"))

    def create_refund(self, id_trx: int, amount: int, type: str, *, idempotency_key: str | None = None) -> str:
        """Refunds ``amount`` of a payment, ``total`` or ``parcial``. Returns the token for ``get_refund_status``.

        Store your own idempotency key with the refund, to retry after a crash. A refused refund raises ``RubricaError``
        with status 200 and a code such as ``REFUND_WINDOW_CLOSED``.
        """
        path = f"/trxs/{_segment(id_trx)}/nullification"
        headers = {"Idempotency-Key": str(uuid.uuid4()) if idempotency_key is None else idempotency_key}
        body = {"amount": amount, "type": type}
        return self._ask("POST", path, body=body, headers=headers, reads=("data", "verificationToken"))

    def list_refunds(self, id_trx: int) -> list[dict[str, Any]]:
        return self._ask("GET", f"/trxs/{_segment(id_trx)}/nullification", reads=("data", "nullifications"))

    def get_refund_status(self, id_trx: int, verification_token: str) -> str:
        path, query = f"/trxs/{_segment(id_trx)}/nullification/status", {"verificationToken": verification_token}
        return self._ask("GET", path, query=query, reads=("data", "status"))

    def validate_bank_account(
        self, account: Mapping[str, Any], *, language: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Returns the verdict and its checks. A ``state`` of ``pending``: still checking, so call ``get_validation`` later."""
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        headers = {"Accept-Language": language, "Idempotency-Key": key}
        return self._ask("POST", "/validations/BankAccount", body=account, headers=headers, holds=("id", "state"))

    def get_validation(self, id: str, *, language: str | None = None) -> dict[str, Any]:
        return self._ask("GET", f"/validations/BankAccount/{_segment(id)}", headers={"Accept-Language": language}, holds=("id", "state"))

    def events(self, after: str | None = None) -> Iterator[dict[str, Any]]:
        """Yields the pages of the feed after a cursor, or from the beginning, until the end of the feed.

        Store ``page["next"]`` together with your results of the page, and continue from it.
        """
        more = True
        while more:
            page = self._ask("GET", "/events", query={"after": after}, holds=("events", "next", "has_more"))
            yield page
            after, more = page["next"], page["has_more"]

    def _ask(self, method: str, path: str, **parts: Any) -> Any:
        """Calls as a user. Renews a refused token once: it may end early, for example after a change of password.

        Its refusal, or a failed login, does not prove that no earlier attempt was carried out.
        """
        headers, doubt = parts.pop("headers", {}), Doubt()

        def ask(token: str) -> Any:
            sent = {**headers, "Authorization": f"Bearer {token}"}
            return repeat(lambda: self._connection.send(method, path, headers=sent, **parts), self._patience, doubt)

        token = self._current_token(None)
        try:
            return ask(token)
        except RubricaError as error:
            if error.code != "TOKEN_INVALID":
                raise
            if self._access_token is not None:
                raise doubt.error or error
        try:
            other = self._current_token(token)
        except RubricaError as error:
            raise doubt.error or error
        return ask(other)

    def _current_token(self, refused: str | None) -> str:
        if self._access_token is not None:
            return self._access_token
        # Concurrent threads share one login.
        with self._login_lock:
            if self._token is None or self._token[0] == refused or self._token[1] < time.monotonic():
                start = time.monotonic()
                granted = repeat(self._login(), self._patience)
                self._token = (granted["access_token_jwt"], start + granted["expires_in"] - _MARGIN)
            return self._token[0]

    def _login(self) -> Callable[[], dict[str, Any]]:
        if self._api_token is not None:
            headers = {"Authorization": f"Bearer {self._api_token}"}
            return lambda: self._connection.send("POST", "/loginToken", body={}, headers=headers, reads=(), holds=_GRANTED)
        if self._username is None or self._password is None:
            raise TypeError("Give RubricaClient an access_token, an api_token, or a username and a password for this")
        login = {"username": self._username, "password": self._password}
        return lambda: self._connection.send("POST", "/users/login", body=login, holds=_GRANTED)


def _segment(value: Any) -> str:
    """Escapes a value as one segment of a path."""
    return quote(str(value), safe="")
