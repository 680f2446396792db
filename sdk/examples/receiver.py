"""Receives callbacks in plain Python and marks each order as paid exactly once, however often its callback comes.

    python3 receiver.py

Environment: SERVICE_TOKEN, SECRET_TOKEN, PORT; ORDERS_FOLDER, else a temporary one; ENVIRONMENT=production for the
tokens for production.
"""
import os
import sqlite3
import sys
import tempfile
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from shop import verify

LARGEST_BODY = 16 * 1024
for name in ["SERVICE_TOKEN", "SECRET_TOKEN"]:
    if not os.environ.get(name):
        sys.exit(f"Set {name} to what bin/rubrica payment-service create printed.")
ORDERS_FOLDER = os.environ.get("ORDERS_FOLDER") or tempfile.mkdtemp(prefix="rubrica-orders-")
TEST = "false" if os.environ.get("ENVIRONMENT") == "production" else "true"


def open_database():
    return sqlite3.connect(ORDERS_FOLDER + "/orders.db")


def receive(body):
    """The status to answer with."""
    try:
        fields = verify(body)
    except ValueError as error:
        print("refused:", error, flush=True)
        return 400
    with open_database() as database:
        reference = fields["x_reference"]
        order = database.execute("select amount, currency from orders where reference = ?", [reference]).fetchone()
        if order is None:
            return 404
        # A completed test is not a payment, and a payment of another amount is not one of this order.
        if (Decimal(fields["x_amount"]), fields["x_currency"], fields["x_test"]) != (*order, TEST):
            return 400
        if fields["x_result"] == "completed" and mark_as_paid(database, reference):
            print("paid", reference, flush=True)
    return 200


def mark_as_paid(database, reference):
    """True for the one callback that did it. What is to be delivered is noted in the same transaction."""
    update = "update orders set state = 'paid' where reference = ? and state = 'open'"
    return database.execute(update, [reference]).rowcount == 1


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        self.send_response(receive(self.rfile.read(length).decode("utf-8", "replace")) if length <= LARGEST_BODY else 413)
        self.end_headers()


with open_database() as database:
    database.execute("create table if not exists orders (reference text primary key, amount, currency, state)")
    database.execute("insert or ignore into orders values ('ORD-1', 12990, 'CLP', 'open'), ('ORD-7', 5000, 'CLP', 'open')")
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
