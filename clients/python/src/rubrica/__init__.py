"""Signs requests for the Rúbrica payment service, verifies its callbacks, and calls it. Needs only Python 3.9 or newer."""
from .callbacks import Callback, CallbackVerifier
from .client import RubricaClient
from .errors import RubricaError
from .problems import CallbackRefused, Problem, SigningError
from .signing import sign, signature_of, signing_message

__all__ = [
    "Callback",
    "CallbackRefused",
    "CallbackVerifier",
    "Problem",
    "RubricaClient",
    "RubricaError",
    "SigningError",
    "sign",
    "signature_of",
    "signing_message",
]
