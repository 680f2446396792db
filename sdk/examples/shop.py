"""A shop in plain Python: signs, creates and verifies without any package. receiver.py receives the callbacks.

    python3 shop.py create ORDER        python3 shop.py verify 'BODY OF THE CALLBACK'

Environment: RUBRICA_URL, SERVICE_TOKEN, SECRET_TOKEN, SHOP_URL.
"""
import hashlib
import hmac
import json
import os
import sys
import urllib.parse
import urllib.request

REQUEST_FIELDS = ["x_account_id", "x_amount", "x_currency", "x_customer_email", "x_reference",
                  "x_session_id", "x_shop_country", "x_url_callback", "x_url_cancel", "x_url_complete"]
CALLBACK_FIELDS = ["x_account_id", "x_amount", "x_currency", "x_gateway_reference", "x_message",
                   "x_reference", "x_result", "x_test", "x_timestamp"]
NAMES = {*REQUEST_FIELDS, *CALLBACK_FIELDS, "x_signature",
         "x_products", "x_billing_details", "x_shippment", "x_document"}


def refuse_ambiguous(fields):
    """Refuses what could be read in two ways: the message has no separators."""
    for name, value in fields.items():
        if not isinstance(value, str) or value == "":
            raise ValueError(f"{name} must be text")
        for known in NAMES:
            if known in value:
                raise ValueError(f"{name} contains {known}")


def signature_of(fields, secret):
    message = "".join(name + fields[name] for name in sorted(fields))
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()


def create(order):
    shop = os.environ["SHOP_URL"]
    fields = {
        "x_account_id": os.environ["SERVICE_TOKEN"],
        "x_amount": "5000",
        "x_currency": "CLP",
        "x_customer_email": "buyer@example.cl",
        "x_reference": order,
        "x_session_id": "session-" + order,
        "x_shop_country": "CL",
        "x_url_callback": shop + "/callback",
        "x_url_cancel": shop + "/cancel",
        "x_url_complete": shop + "/complete",
    }
    refuse_ambiguous(fields)
    fields["x_signature"] = signature_of(fields, os.environ["SECRET_TOKEN"])
    request = urllib.request.Request(os.environ["RUBRICA_URL"] + "/trxs", json.dumps(fields).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def verify(body):
    """Takes the raw body, before any framework parsed it."""
    pairs = urllib.parse.parse_qsl(body, keep_blank_values=True, strict_parsing=True, errors="strict")
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name occurs twice")
    received = fields.pop("x_signature", "")
    if sorted(fields) != CALLBACK_FIELDS:
        raise ValueError("not the nine fields of a callback")
    refuse_ambiguous(fields)
    if not hmac.compare_digest(signature_of(fields, os.environ["SECRET_TOKEN"]), received):
        raise ValueError("the signature is wrong")
    if fields["x_account_id"] != os.environ["SERVICE_TOKEN"]:
        raise ValueError("another account")
    # Now compare x_reference, x_amount, x_currency and x_test with your order, and check that it is not paid already.
    return fields


if __name__ == "__main__":
    try:
        if sys.argv[1] == "create":
            print(create(sys.argv[2]))
        else:
            verified = verify(sys.argv[2])
            print("genuine", verified["x_result"], verified["x_reference"], verified["x_amount"])
    except ValueError as error:
        sys.exit(f"not genuine: {error}")
