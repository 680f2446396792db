import json
import base64
import hashlib
import hmac
import unittest
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlencode

from rubrica import CallbackRefused, CallbackVerifier, signature_of, signing_message

NOW = 1_790_000_000
SECRET, OLD = "5f3a9c1e7b2d4f60a1b2c3d4e5f60718", "the-secret-before"
FIELDS = {
    "x_account_id": "svc-1",
    "x_amount": "12990.00",
    "x_currency": "CLP",
    "x_gateway_reference": "1001",
    "x_message": "Approved",
    "x_reference": "ORD-ñ 1",
    "x_result": "completed",
    "x_test": "false",
    "x_timestamp": "2026-01-15T12:01:30.000Z",
}


def verifier(**changes):
    return CallbackVerifier(**{"account": "svc-1", "secrets": SECRET, "test": False, **changes})


def callback(changes=None, secret=SECRET, sent_at=NOW):
    fields = {**FIELDS, **(changes or {})}
    body = urlencode({**fields, "x_signature": signature_of(signing_message(fields), secret)}).encode()
    return body, headers_of(body, secret, sent_at)


def headers_of(body, secret=SECRET, sent_at=NOW, event="evt_1001_2"):
    """Signs independently of the package."""
    extracted = hmac.new(b"\0" * 32, secret.encode(), hashlib.sha256).digest()
    key = hmac.new(extracted, b"callback-v2\x01", hashlib.sha256).digest()
    digest = hmac.new(key, b"%s.%d.%s" % (event.encode(), sent_at, body), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": event, "Webhook-Timestamp": str(sent_at), "Webhook-Signature": signature, "Rubrica-Sequence": "2"}


class Callbacks(unittest.TestCase):
    def refused(self, code, body, headers, by=None):
        with self.assertRaises(CallbackRefused) as caught:
            (by or verifier()).verify(body, headers, now=NOW)
        self.assertEqual(caught.exception.code, code)

    def test_a_genuine_callback_says_what_happened(self):
        told = verifier().verify(*callback(), now=NOW)
        said = (told.reference, told.amount, told.currency, told.result, told.transaction_id, told.test)
        self.assertEqual(said, ("ORD-ñ 1", "12990.00", "CLP", "completed", "1001", False))
        self.assertEqual((told.webhook_id, told.sequence), ("evt_1001_2", 2))

    def test_every_field_is_covered_by_the_signature(self):
        body, headers = callback()
        for name, value in FIELDS.items():
            written = urlencode({name: value}).encode()
            other = body.replace(written, written + b"0")
            self.assertNotEqual(other, body)
            with self.assertRaises(CallbackRefused):
                verifier().verify(other, headers_of(other), now=NOW)
            self.assertIsNotNone(headers)

    def test_a_failed_payment_cut_anew_is_refused(self):
        time = FIELDS["x_timestamp"]
        spliced = {"x_message": "Declined", "x_timestamp": f"{time}x_resultfailedx_testfalsex_timestamp{time}"}
        self.refused("AMBIGUOUS_FIELD", *callback(spliced))

    def test_one_field_more_less_or_twice_is_refused(self):
        self.refused("UNKNOWN_FIELD", *callback({"x_products": "none"}))
        body, _ = callback()
        for code, other in [
            ("MISSING_FIELD", body.replace(b"x_message=Approved&", b"")),
            ("DUPLICATE_KEY", body + b"&x_amount=1"),
            ("SIGNATURE_MISSING", body[: body.index(b"&x_signature")]),
            ("INVALID_ENCODING", body.replace(b"%C3%B1", b"%C3")),
            ("INVALID_ENCODING", body.replace(b"%C3%B1", b"%C")),
            ("INVALID_ENCODING", body.replace(b"%C3%B1", b"\xf1")),
            ("CONTROL_CHARACTER", body.replace(b"%C3%B1", b"%0A")),
            ("SIGNATURE_INVALID", body[:-1] + (b"0" if body[-1:] != b"0" else b"1")),
            ("SIGNATURE_INVALID", body[:-64] + body[-64:].upper()),
        ]:
            self.refused(code, other, headers_of(other))

    def test_a_body_that_was_turned_into_json_was_refused_as_one_unknown_field(self):
        body = json.dumps(FIELDS).encode()
        with self.assertRaisesRegex(CallbackRefused, "it is JSON, and callbacks are posted as a form"):
            verifier().verify(body, headers_of(body), now=NOW)

    def test_the_headers_are_of_this_body_and_of_now(self):
        body, headers = callback()
        self.refused("WEBHOOK_HEADERS_MISSING", body, {})
        self.refused("WEBHOOK_SIGNATURE_INVALID", body, {**headers, "Webhook-Id": "evt_1"})
        self.refused("WEBHOOK_SIGNATURE_INVALID", body, {"Webhook-Id": "evt_1001_2"})
        self.refused("WEBHOOK_TIME_REFUSED", *callback(sent_at=NOW - 301))
        self.refused("WEBHOOK_TIME_REFUSED", *callback(sent_at=NOW + 301))
        verifier().verify(*callback(sent_at=NOW - 299), now=NOW)
        verifier(tolerance_seconds=900).verify(*callback(sent_at=NOW - 899), now=NOW)

    def test_a_secret_counts_as_long_as_it_is_named(self):
        both = verifier(secrets=[SECRET, OLD])
        both.verify(*callback(secret=OLD), now=NOW)
        both.verify(*callback(), now=NOW)
        self.refused("SIGNATURE_INVALID", *callback(secret=OLD))
        # During a rotation the header has one signature per secret.
        body, headers = callback()
        many = " ".join([headers_of(body, OLD)["Webhook-Signature"], headers["Webhook-Signature"]])
        verifier().verify(body, {**headers, "Webhook-Signature": many}, now=NOW)
        with self.assertRaises(TypeError):
            verifier(secrets=[SECRET, ""])

    def test_another_account_and_a_test_are_refused(self):
        self.refused("ACCOUNT_MISMATCH", *callback({"x_account_id": "svc-2"}))
        self.refused("TEST_MISMATCH", *callback({"x_test": "true"}))
        self.refused("TEST_MISMATCH", *callback(), by=verifier(test=True))

    def test_the_order_is_compared_in_its_own_terms(self):
        told = verifier().verify(*callback(), now=NOW)
        for amount in [12990, "12990", "12990.0", "12990.00"]:
            told.compare_with(amount=amount, currency="CLP")
        # A Decimal is unambiguous, also from a column such as numeric(12, 4) or after normalize().
        for amount in [Decimal("12990"), Decimal("12990.0000"), Decimal("12990").normalize()]:
            told.compare_with(amount=amount, currency="CLP")
        for amount, currency, code in [(Decimal("12990.0001"), "CLP", "AMOUNT_MISMATCH"), (12991, "CLP", "AMOUNT_MISMATCH"), (12990, "USD", "CURRENCY_MISMATCH")]:
            with self.assertRaises(CallbackRefused) as caught:
                told.compare_with(amount=amount, currency=currency)
            self.assertEqual(caught.exception.code, code)
        for unclear in ["12.990", "12,990", 12990.0, "", Decimal("NaN"), Decimal("-1")]:
            with self.assertRaises(TypeError):
                told.compare_with(amount=unclear, currency="CLP")

    def test_what_the_browser_brings_has_no_headers(self):
        body, _ = callback()
        self.assertIsNone(verifier().verify_return(body).webhook_id)
        with self.assertRaises(CallbackRefused):
            verifier().verify_return(body.replace(b"completed", b"pending"))

    def test_nothing_shows_a_secret(self):
        self.assertNotIn(SECRET, repr(verifier()))

    def test_a_notice_of_a_refund_or_a_payout_could_not_be_verified(self):
        vector = json.loads((Path(__file__).parents[3] / "test" / "vectors" / "notice-vector.json").read_text("utf-8"))
        at, body = vector["timestamp"], vector["body"]
        headers = {"Webhook-Id": vector["id"], "Webhook-Timestamp": str(at), "Webhook-Signature": vector["signature"]}
        own = verifier(secrets=["other", vector["secret"]])
        for given in (body, body.encode()):
            self.assertEqual(own.verify_notice(given, headers, now=at), json.loads(body))
        callback_body, callback_headers = callback()
        for by, given, sent, now, code in (
            (own, body, {}, at, "WEBHOOK_HEADERS_MISSING"),
            (own, body.replace("completed", "failed"), headers, at, "WEBHOOK_SIGNATURE_INVALID"),
            (verifier(), body, headers, at, "WEBHOOK_SIGNATURE_INVALID"),
            (own, body, headers, at + 301, "WEBHOOK_TIME_REFUSED"),
            (verifier(), callback_body, callback_headers, NOW, "NOT_AN_OBJECT"),
            (verifier(), b"[]", headers_of(b"[]"), NOW, "NOT_AN_OBJECT"),
        ):
            with self.assertRaises(CallbackRefused) as caught:
                by.verify_notice(given, sent, now=now)
            self.assertEqual(caught.exception.code, code)
