"""Tests against a running service, which bin/test starts: RUBRICA_URL, SERVICE_TOKEN, SECRET_TOKEN, API_TOKEN."""
import os
import threading
import time
import unittest
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from rubrica import CallbackVerifier, RubricaClient, RubricaError


@unittest.skipUnless("RUBRICA_URL" in os.environ, "no service runs")
class Service(unittest.TestCase):
    def test_an_order_is_paid_told_refunded_and_in_the_feed(self):
        tokens = {"service_token": os.environ["SERVICE_TOKEN"], "secret_token": os.environ["SECRET_TOKEN"]}
        client = RubricaClient(os.environ["RUBRICA_URL"], api_token=os.environ["API_TOKEN"], **tokens)
        shop = Shop()
        self.addCleanup(shop.close)
        order = {
            "x_amount": 12990, "x_currency": "CLP", "x_customer_email": "ana@example.cl", "x_reference": "PY-1",
            "x_session_id": "session-1", "x_shop_country": "CL", "x_url_callback": shop.url + "/callback",
            "x_url_cancel": shop.url + "/cancel", "x_url_complete": shop.url + "/complete",
        }
        created = client.create_transaction(order)
        self.assertEqual(client.create_transaction(order)["idTrx"], created["idTrx"])
        self.assertEqual(client.get_status(created["idTrx"]), "pending")
        paid = urllib.parse.urlencode({"method": "simulated"}).encode()
        urllib.request.build_opener(NoRedirect).open(created["payUrl"][0]["url"], paid).read()

        verifier = CallbackVerifier(account=tokens["service_token"], secrets=tokens["secret_token"], test=True)
        told = verifier.verify(*shop.next())
        told.compare_with(amount=12990, currency="CLP")
        self.assertEqual((told.reference, told.result), ("PY-1", "completed"))
        self.assertEqual(told.transaction_id, str(created["idTrx"]))
        self.assertEqual(client.get_transaction(created["idTrx"])["idTrx"], created["idTrx"])

        key = client.create_refund(created["idTrx"], 990, "parcial", idempotency_key="py-1")
        self.assertEqual(client.create_refund(created["idTrx"], 990, "parcial", idempotency_key="py-1"), key)
        self.assertIn(client.get_refund_status(created["idTrx"], key), ("processing", "completed"))
        self.assertEqual(len(client.list_refunds(created["idTrx"])), 1)
        with self.assertRaises(RubricaError) as caught:
            client.create_refund(created["idTrx"], 99_000, "parcial")
        self.assertEqual(caught.exception.status, 200)

        # An event enters the feed only when no earlier one can still come.
        for _ in range(600):
            if "transaction.completed" in [event["type"] for page in client.events() for event in page["events"]]:
                break
            time.sleep(0.1)
        else:
            self.fail("the payment is not in the feed")
        account = {"rut": "11111111-1", "bankData": {"bankSBIFNumber": "012", "bankAccount": "11111111"}}
        validation = client.validate_bank_account(account)
        self.assertIn(validation["verdict"], ("plausible", "undetermined", "confirmed"))
        self.assertEqual(client.get_validation(validation["id"])["verdict"], validation["verdict"])

    def test_a_wrong_secret_is_explained(self):
        client = RubricaClient(os.environ["RUBRICA_URL"], service_token=os.environ["SERVICE_TOKEN"], secret_token="other")
        order = {
            "x_amount": 12990, "x_currency": "CLP", "x_customer_email": "ana@example.cl", "x_reference": "PY-2",
            "x_session_id": "session-1", "x_shop_country": "CL", "x_url_callback": "https://shop.example/callback",
            "x_url_cancel": "https://shop.example/cancel", "x_url_complete": "https://shop.example/complete",
        }
        with self.assertRaises(RubricaError) as caught:
            client.create_transaction(order)
        self.assertEqual((caught.exception.code, caught.exception.status), ("SIGNATURE_INVALID", 401))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The page sends the payer back to a shop that does not exist here."""

    def http_error_303(self, request, answer, *_):
        return answer

    http_error_302 = http_error_303


class Shop:
    """Stores the callbacks that it receives."""

    def __init__(self):
        self._came = threading.Event()
        shop = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                shop._last = (self.rfile.read(int(self.headers["Content-Length"])), dict(self.headers))
                self.send_response(200)
                self.end_headers()
                shop._came.set()

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Receiver)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def next(self):
        if not self._came.wait(60):
            raise AssertionError("no callback came")
        return self._last

    def close(self):
        self._server.shutdown()
        self._server.server_close()
