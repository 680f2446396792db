"""Receives callbacks and processes each order exactly once, even if its callback is repeated.

    python3 receiver.py

Environment: SERVICE_TOKEN, SECRET_TOKEN; OLD_SECRET_TOKEN during a rotation; PORT; ENVIRONMENT=production for production
tokens; ORDERS_FILE with orders as printed by bin/rubrica chaos orders, amounts in pesos.
"""
import json
import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from rubrica import CallbackRefused, CallbackVerifier

LARGEST_BODY = 16 * 1024
for name in ["SERVICE_TOKEN", "SECRET_TOKEN"]:
    if not os.environ.get(name):
        sys.exit(f"Set {name} to what bin/rubrica payment-service create printed.")
verifier = CallbackVerifier(
    account=os.environ["SERVICE_TOKEN"],
    secrets=[one for one in (os.environ["SECRET_TOKEN"], os.environ.get("OLD_SECRET_TOKEN")) if one],
    test=os.environ.get("ENVIRONMENT") != "production",
)
DATABASE = tempfile.mkdtemp(prefix="rubrica-orders-") + "/orders.db"
# The payer's browser comes back here, also with a POST. These pages decide nothing: the callback does.
PAGES = ("/complete", "/cancel")
ORDERS = [{"reference": "ORD-1", "amount": 12990, "currency": "CLP"}, {"reference": "ORD-7", "amount": 5000, "currency": "CLP"}]


def receive(body, headers):
    """Returns the HTTP status of the response."""
    try:
        callback = verifier.verify(body, headers)
        order = find_order(callback.reference)
        if not order:
            return 404
        callback.compare_with(amount=order["amount"], currency=order["currency"])
    except CallbackRefused as refusal:
        print("refused:", refusal, flush=True)
        return 400
    if callback.result == "completed" and mark_as_paid(callback.reference, callback.webhook_id):
        print("paid", callback.reference, flush=True)
    return 200


def mark_as_paid(reference, webhook_id):
    """Returns true only for the callback that marks the order as paid. The same transaction records the delivery."""
    with closing(open_database()) as database, database:
        seen = database.execute("insert or ignore into callbacks values (?)", [webhook_id]).rowcount == 0
        update = "update orders set state = 'paid', deliveries = deliveries + 1 where reference = ? and state = 'open'"
        return not seen and database.execute(update, [reference]).rowcount == 1


def find_order(reference):
    with closing(open_database()) as database:
        row = database.execute("select amount, currency, state, deliveries from orders where reference = ?", [reference]).fetchone()
    return row and dict(zip(["amount", "currency", "state", "deliveries"], row))


def open_database():
    return sqlite3.connect(DATABASE, timeout=30)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if not 0 <= length <= LARGEST_BODY:
            return self.answer(413)
        body = self.rfile.read(length)
        if self.path.split("?")[0] in PAGES:
            return self.do_GET()
        self.answer(receive(body, self.headers))

    def do_GET(self):
        """Shows the payer a page, or returns an order, for --order-url of bin/rubrica chaos run."""
        if self.path.split("?")[0] in PAGES:
            return self.answer(200, "Thank you. The callback says whether the order is paid.\n")
        order = find_order(unquote(self.path[len("/orders/"):])) if self.path.startswith("/orders/") else None
        self.answer(200 if order else 404, json.dumps(order))

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


def main():
    orders = json.load(open(os.environ["ORDERS_FILE"])) if os.environ.get("ORDERS_FILE") else ORDERS
    with closing(open_database()) as database, database:
        database.execute("create table orders (reference text primary key, amount, currency, state, deliveries)")
        database.execute("create table callbacks (webhook_id text primary key)")
        rows = [(order["reference"], order["amount"], order["currency"]) for order in orders]
        database.executemany("insert into orders values (?, ?, ?, 'open', 0)", rows)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


main()
