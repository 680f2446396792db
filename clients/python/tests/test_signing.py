"""Tests the vectors of the protocol. The service and the SDK pass them too."""
import base64
import json
import unittest
from pathlib import Path
from urllib.parse import parse_qsl

from rubrica import CallbackRefused, CallbackVerifier, SigningError, sign, signature_of, signing_message

VECTORS = Path(__file__).parents[3] / "test" / "vectors"
SECRET = "made-up-secret-0001"
ORDER = {
    "x_account_id": "svc-1",
    "x_amount": 12990,
    "x_currency": "CLP",
    "x_customer_email": "ana@example.cl",
    "x_reference": "ORD-1",
    "x_session_id": "session-1",
    "x_shop_country": "CL",
    "x_url_callback": "https://shop.example/callback",
    "x_url_cancel": "https://shop.example/cancel",
    "x_url_complete": "https://shop.example/complete",
}


def load(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


class Vectors(unittest.TestCase):
    def test_every_vector_has_its_message_and_signature(self):
        vectors = load("signature-vectors.json")["vectors"]
        self.assertGreater(len(vectors), 30)
        for vector in vectors:
            with self.subTest(vector["name"]):
                # The digits of a number as written are signed.
                message = signing_message(json.loads(vector["fields"], parse_float=str))
                self.assertEqual(message, vector["message"])
                self.assertEqual(signature_of(message, vector["secret"]), vector["signature"])

    def test_no_pair_of_bodies_with_one_signature_is_accepted_twice(self):
        vectors = load("signature-pairs.json")
        for pair in vectors["pairs"]:
            with self.subTest(pair["name"]):
                taken = [side for side in (pair["a"], pair["b"]) if self.takes(side, vectors["secret"])]
                self.assertLessEqual(len(taken), 2 if pair["sameMeaning"] else 1)

    def takes(self, side, secret):
        body = base64.b64decode(side["bodyBase64"]) if "bodyBase64" in side else side["body"].encode()
        try:
            if side["direction"] == "callback":
                fields = json.loads(body) if side["media"] == "application/json" else dict(parse_qsl(body.decode()))
                signature = signature_of(signing_message(fields), secret)
                pairs = body.decode() if side["media"] != "application/json" else "&".join(f"{k}={v}" for k, v in fields.items())
                verifier = CallbackVerifier(account=fields.get("x_account_id", "-"), secrets=secret, test=False)
                verifier.verify_return(f"{pairs}&x_signature={signature}")
            else:
                sign(json.loads(body, object_pairs_hook=every_name_once), secret)
        except (SigningError, CallbackRefused, ValueError):
            return False
        return True


def every_name_once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name occurs twice")
    return dict(pairs)


class Signing(unittest.TestCase):
    def refusal(self, **changes):
        with self.assertRaises(SigningError) as caught:
            sign({**ORDER, **changes}, SECRET)
        return [(one.code, one.field) for one in caught.exception.problems]

    def test_a_signed_order_is_the_body_to_send(self):
        body = sign(ORDER, SECRET)
        self.assertEqual(body["x_amount"], "12990")
        self.assertEqual(body["x_signature"], signature_of(signing_message(ORDER), SECRET))
        self.assertEqual(sign({**ORDER, "x_products": [{"name": "té"}]}, SECRET)["x_signature"], body["x_signature"])

    def test_what_could_be_read_in_two_ways_is_refused(self):
        self.assertEqual(self.refusal(x_reference="ORD-42x_session_idother"), [("AMBIGUOUS_FIELD", "x_reference")])
        self.assertEqual(self.refusal(x_extra="1"), [("UNKNOWN_FIELD", "x_extra")])
        self.assertEqual(self.refusal(x_amount=10.5), [("INVALID_TYPE", "x_amount")])
        self.assertEqual(self.refusal(x_amount=True), [("INVALID_TYPE", "x_amount")])
        self.assertEqual(self.refusal(x_reference=""), [("EMPTY_FIELD", "x_reference")])
        missing = {name: value for name, value in ORDER.items() if name != "x_currency"}
        with self.assertRaises(SigningError) as caught:
            sign(missing, SECRET)
        self.assertEqual(caught.exception.code, "MISSING_FIELD")

    def test_every_wrong_form_is_named_at_once(self):
        codes = self.refusal(x_amount="12.990", x_currency="PESO", x_customer_email="ana", x_shop_country="Chile")
        self.assertEqual(
            [code for code, _ in codes], ["INVALID_CURRENCY", "INVALID_AMOUNT", "INVALID_EMAIL", "INVALID_COUNTRY"]
        )

    def test_amounts_are_what_the_currency_has(self):
        for amount, currency in [("12.50", "USD"), ("12.5", "USD"), ("1000.00", "CLP"), ("1000.0", "CLP"), (500, "CLP")]:
            sign({**ORDER, "x_amount": amount, "x_currency": currency}, SECRET)
        for amount, currency in [("12.990", "CLP"), ("0", "CLP"), ("012", "CLP"), ("1e3", "CLP"), ("1.234", "USD"), (-5, "CLP")]:
            self.assertEqual(self.refusal(x_amount=amount, x_currency=currency), [("INVALID_AMOUNT", "x_amount")])

    def test_addresses_are_in_their_normal_form(self):
        for url in ["http://shop.example/", "https://SHOP.example/", "https://shop.example:443/", "https://a@shop.example/",
                    "https://shop.example/a/../b", "https://0x7f.1/", "https://shop.example/#part", "https://shop.example/ñ",
                    "https://localhost/", "ftp://shop.example/", "https://shop.example/a b"]:
            self.assertEqual(self.refusal(x_url_callback=url), [("INVALID_URL", "x_url_callback")], url)
        for url in ["https://shop.example", "https://shop.example:8443/a?b=c%20d&e=[1]", "https://1.2.3.4/x"]:
            sign({**ORDER, "x_url_callback": url, "x_url_cancel": "/cart"}, SECRET)
        sign({**ORDER, "x_url_callback": "http://localhost:3000/callback"}, SECRET, allow_http=True)

    def test_an_empty_secret_signs_nothing(self):
        with self.assertRaises(TypeError):
            sign(ORDER, "")
