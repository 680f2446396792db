"""Why a call failed."""
from __future__ import annotations

from typing import Any


class RubricaError(Exception):
    """The message names the request, what is wrong, and what to do. It holds no secret.

    ``code`` is the service's own, with its page at ``/errors/CODE``, or ``NOT_SENT`` (there was no connection: nothing was
    done), ``NO_ANSWER`` (it was sent, and may have been done or not) or ``UNREADABLE_ANSWER`` (something else answered).
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
        #: Everything that is wrong with the request, each with its fix.
        self.errors = errors or []
        #: Names the request in the log of the service.
        self.request_id = request_id
        #: The same call may succeed later. It was repeated already where that was safe.
        self.retryable = retryable
        #: For how many seconds the service wishes to be left alone.
        self.retry_after = retry_after
        #: The call was sent with it. Give it again, so that what may have been done is not done twice; None where it had none.
        self.idempotency_key = idempotency_key
        #: Answered beside the error: ``data["next"]`` of a cursor that counts no more is the one to go on with.
        self.data = data
        super().__init__(self._text())

    def _text(self) -> str:
        fixes = dict.fromkeys(str(error.get("fix", "")) for error in self.errors)
        answered = "" if self.status is None else f" answered {self.status}"
        named = "" if self.request_id is None else f", request {self.request_id}"
        said = " ".join([f"{self.code}: {self.detail}", *filter(None, fixes)])
        return f"{said} ({self.request}{answered}{named})"
