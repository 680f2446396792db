"""The error of failed calls."""
from __future__ import annotations

from typing import Any


_MOST_SAID = 10


class RubricaError(Exception):
    """The message names the request, the error and the fix. It holds no secret.

    ``code`` is ``NOT_SENT`` (there was no connection, so nothing was done), ``NO_ANSWER`` (the request was sent and may
    have been carried out), ``UNREADABLE_ANSWER`` (another server answered), or a code of the service with its page at
    ``/errors/CODE``.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        request: str,
        *,
        status: int | None = None,
        title: str = "",
        errors: list[dict[str, Any]] | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        idempotency_key: str | None = None,
        data: dict[str, Any] | None = None,
    ):
        self.code, self.detail, self.request, self.status = code, detail, request, status
        self.title = title or detail
        #: Every error of the request, each with its fix.
        self.errors = errors or []
        #: The id of the request in the service's log.
        self.request_id = request_id
        #: The same call may succeed later. It was already retried where that is safe.
        self.retryable = retryable
        #: The seconds that the service asks to wait.
        self.retry_after = retry_after
        #: The idempotency key that was sent; None without one. Send it again, so that nothing is done twice.
        self.idempotency_key = idempotency_key
        #: Data beside the error: ``data["next"]`` replaces a refused feed cursor.
        self.data = data
        super().__init__(self._text())

    def _text(self) -> str:
        answered = "" if self.status is None else f" answered {self.status}"
        named = "" if self.request_id is None else f", request {self.request_id}"
        said = " ".join([f"{self.code}: {self.detail}", *self._said_errors()])
        return f"{said} ({self.request}{answered}{named})"

    def _said_errors(self) -> list[str]:
        """Names each error with its fix, but nothing that the detail says already."""
        pairs = [(str(error.get("message", "")), str(error.get("fix", ""))) for error in self.errors]
        texts = dict.fromkeys(fix if message in self.detail else f"{message} {fix}".strip() for message, fix in pairs)
        said = [text for text in texts if text not in self.detail]
        more = len(said) - _MOST_SAID
        return [*said[:_MOST_SAID], f"And {more} more in errors."] if more > 0 else said
