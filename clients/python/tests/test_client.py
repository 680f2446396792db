"""Tests the client alone, against prepared responses."""
import contextlib
import json
import socket
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest import mock
from urllib.parse import unquote

from rubrica import RubricaClient, RubricaError, SigningError
from test_signing import ORDER

FIELDS = {name: value for name, value in ORDER.items() if name != "x_account_id"}


class Answers(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.path, dict(self.headers), body))
        answer = self.server.answers.pop(0)
        if answer is None:
            self.close_connection = True
            return
        status, value, headers = answer
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(value if isinstance(value, bytes) else json.dumps(value).encode())

    do_GET = do_POST

    def log_message(self, *_):
        pass


def drip(server, answer, at_once):
    """Sends every caller the response: the beginning at once, then byte by byte."""
    with contextlib.suppress(OSError):
        while True:
            connection = server.accept()[0]
            with connection, contextlib.suppress(OSError):
                while not connection.recv(65536).endswith(b"}"):
                    pass
                connection.sendall(answer[:at_once])
                for byte in answer[at_once:]:
                    threading.Event().wait(0.02)
                    connection.sendall(bytes([byte]))


class Client(unittest.TestCase):
    def setUp(self):
        self.server = HTTPServer(("127.0.0.1", 0), Answers)
        self.server.asked, self.server.answers = [], []
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}/pay"
        # Retries do not wait here.
        patched = mock.patch("rubrica.requests.time.sleep")
        self.waits = patched.start()
        self.addCleanup(patched.stop)

    def client(self, **options):
        return RubricaClient(self.url, **{"service_token": "svc-1", "secret_token": "secret", **options})

    def failure(self, call):
        with self.assertRaises(RubricaError) as caught:
            call()
        return caught.exception

    def test_a_token_with_a_line_break_was_repeated_in_the_error(self):
        for token in ("top-secret\n", "top-secret\r\nX-Other: 1", "top-secret\u2028"):
            with self.assertRaises(TypeError) as caught:
                self.client(access_token=token).get_transaction(1)
            self.assertEqual(str(caught.exception), "What is to be sent as Authorization holds a line break or another such character")
        self.assertEqual(self.server.asked, [])

    def test_repeats_the_same_signed_bytes_until_there_is_an_answer(self):
        created = {"data": {"idTrx": 1001, "payUrl": [{"url": "https://pay"}]}}
        self.server.answers = [None, (503, {"code": "OVERLOADED", "detail": "Too much."}, {"Retry-After": "2"}), (200, created, {})]
        self.assertEqual(self.client().create_transaction(FIELDS)["idTrx"], 1001)
        self.assertEqual(len({body for _, _, body in self.server.asked}), 1)
        self.assertEqual(self.server.asked[0][0], "/pay/trxs")
        self.assertGreaterEqual(self.waits.call_args_list[1][0][0], 2)

    def test_a_payer_who_waits_was_made_to_wait_for_every_repeat(self):
        def busy(seconds):
            return 503, {"code": "OVERLOADED", "detail": "Too much."}, {"Retry-After": seconds}

        self.server.answers = [busy("0"), busy("4")]
        self.assertEqual(self.failure(lambda: self.client(patience=4).create_transaction(FIELDS)).code, "OVERLOADED")
        self.assertEqual((len(self.server.asked), self.waits.call_count), (2, 1))

    def test_a_refusal_says_where_why_and_what_to_do(self):
        refusal = {
            "code": "INVALID_BODY", "title": "T", "detail": "The body cannot be used.", "request_id": "req_1",
            "errors": [
                {"message": "The body cannot be used.", "fix": "Write digits."},
                *[{"message": "No name.", "fix": "Write digits."}] * 2,
            ],
        }
        self.server.answers = [(400, refusal, {})]
        error = self.failure(lambda: self.client().create_transaction(FIELDS))
        said = "INVALID_BODY: The body cannot be used. Write digits. No name. Write digits."
        self.assertEqual(str(error), f"{said} (POST {self.url}/trxs answered 400, request req_1)")
        self.assertEqual((error.status, error.retryable, len(self.server.asked)), (400, False, 1))

    def test_without_a_connection_nothing_was_sent(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        client = RubricaClient(url, service_token="svc-1", secret_token="secret")
        error = self.failure(lambda: client.create_transaction(FIELDS))
        self.assertEqual(error.code, "NOT_SENT")
        self.assertRegex(str(error), r"refused.*so nothing was sent\. Check that the service runs.*POST " + url)

    def test_https_at_a_port_that_answers_with_plain_http_told_to_check_a_certificate(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def answer():
            with server.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        client = RubricaClient(f"https://127.0.0.1:{server.getsockname()[1]}", access_token="a", patience=0)
        error = self.failure(lambda: client.get_status(1))
        self.assertEqual(error.code, "NOT_SENT")
        self.assertRegex(str(error), "does not answer with TLS: check the port of base_url")

    def test_what_was_sent_without_an_answer_may_have_been_done(self):
        self.server.answers = [None] * 4
        error = self.failure(lambda: self.client().create_transaction(FIELDS))
        self.assertEqual((error.code, len(self.server.asked)), ("NO_ANSWER", 4))

    def test_an_answer_that_was_cut_off_was_taken_for_one_of_another_service_and_a_refund_for_not_done(self):
        for cut in (b'{"message":"ok","errors":null,"da', b""):
            self.server.answers = [(200, cut, {})] * 4
            error = self.failure(lambda: self.client(access_token="token").create_refund(1001, 500, "parcial"))
            self.assertEqual((error.code, self.server.answers), ("NO_ANSWER", []))

    def test_what_was_sent_and_then_was_too_much_or_met_a_proxy_looked_as_if_it_had_not_been_done(self):
        limited = (429, {"code": "RATE_LIMITED", "detail": "Too many."}, {"Retry-After": "60"})
        for last in [[limited], [(403, b"<html>", {})], [(502, b"<html>", {})] * 3]:
            self.server.answers = [None, *last]
            error = self.failure(lambda: self.client(access_token="token").create_refund(1001, 500, "parcial"))
            self.assertEqual(error.code, "NO_ANSWER")

    def test_what_was_sent_and_then_had_its_token_refused_looked_as_if_it_had_not_been_done(self):
        token = (200, {"access_token_jwt": "one", "expires_in": 3600}, {})
        refused = (401, {"code": "TOKEN_INVALID", "detail": "It is over."}, {})
        down = (502, b"<html>", {})
        for options, answers in [
            ({"access_token": "token"}, [None, refused]),
            ({"api_token": "api_1"}, [token, None, refused, *[down] * 4]),
            ({"api_token": "api_1"}, [token, None, refused, token, *[down] * 4]),
        ]:
            self.server.answers = list(answers)
            error = self.failure(lambda: self.client(**options).create_refund(1001, 500, "parcial", idempotency_key="key-1"))
            self.assertEqual((error.code, error.idempotency_key, self.server.answers), ("NO_ANSWER", "key-1", []))

    def test_an_answer_that_came_by_a_byte_now_and_then_was_waited_for_without_end(self):
        created = b'HTTP/1.1 200 OK\r\n\r\n{"data": {"idTrx": 1001, "payUrl": []}}'
        for at_once in (0, created.index(b"{")):
            with socket.create_server(("127.0.0.1", 0)) as server:
                threading.Thread(target=drip, args=(server, created, at_once), daemon=True).start()
                url = f"http://127.0.0.1:{server.getsockname()[1]}"
                client = RubricaClient(url, service_token="svc-1", secret_token="secret", timeout=0.2)
                self.assertIn("no answer within 0.2 s", str(self.failure(lambda: client.create_transaction(FIELDS))))

    def test_a_page_of_a_proxy_is_no_answer_of_the_service(self):
        for page in (b"<html>", {"code": 404, "detail": "Not found."}, {"code": "A", "detail": "b", "errors": {"x": ["c"]}}):
            self.server.answers = [(404, page, {})]
            error = self.failure(lambda: self.client().create_transaction(FIELDS))
            self.assertEqual((error.code, error.status), ("UNREADABLE_ANSWER", 404))

    def test_json_of_something_else_with_status_200_was_a_key_error_and_a_refund_without_its_key(self):
        for page in ({}, [], None, 5, b"<html>", {"data": None}, {"data": {}}, {"ok": True}, {"code": "E1", "message": "Down"}):
            client = self.client(access_token="token")
            for call in (
                lambda: self.client().create_transaction(FIELDS),
                lambda: client.get_status(1001),
                lambda: client.get_transaction(1001),
                lambda: client.validate_bank_account({}),
                lambda: client.list_refunds(1001),
                lambda: list(client.events()),
                lambda: self.client(api_token="api_1").get_status(1001),
                lambda: client.create_refund(1001, 500, "parcial", idempotency_key="key-1"),
            ):
                self.server.answers = [(200, page, {})]
                error = self.failure(call)
                self.assertEqual((error.code, error.status), ("UNREADABLE_ANSWER", 200))
            self.assertEqual(error.idempotency_key, "key-1")

    def test_an_id_could_ask_for_another_path_or_end_as_a_call_that_may_have_been_done(self):
        client = self.client(access_token="token")
        for asked in (
            lambda id_trx: client.get_transaction(id_trx),
            lambda id_trx: client.get_status(id_trx),
            lambda id_trx: client.create_refund(id_trx, 500, "parcial"),
            lambda id_trx: client.list_refunds(id_trx),
            lambda id_trx: client.get_refund_status(id_trx, "0rf_1"),
        ):
            for id_trx in ("1/../../users", "1?a=b#c", "1 2\r\n", "ñ"):
                self.server.asked, self.server.answers = [], [(404, {"code": "NOT_FOUND", "detail": "No."}, {})]
                self.assertEqual(self.failure(lambda: asked(id_trx)).code, "NOT_FOUND")
                path = self.server.asked[0][0].partition("?")[0].replace("/pay/v2", "/pay").split("/")
                self.assertEqual((path[:3], unquote(path[3])), (["", "pay", "trxs"], id_trx))

    def test_a_token_is_fetched_once_and_renewed_when_it_is_refused(self):
        token = {"access_token_jwt": "one", "expires_in": 3600}
        found = (200, {"data": {"status": "complete"}}, {})
        refused = (401, {"code": "TOKEN_INVALID", "detail": "It is over."}, {})
        other = (200, {**token, "access_token_jwt": "two"}, {})
        self.server.answers = [(200, token, {}), found, found, refused, other, found]
        client = self.client(api_token="api_1")
        for _ in range(3):
            self.assertEqual(client.get_status(1001), "complete")
        sent = [headers.get("Authorization") for _, headers, _ in self.server.asked]
        self.assertEqual(sent, ["Bearer api_1", "Bearer one", "Bearer one", "Bearer one", "Bearer api_1", "Bearer two"])

    def test_a_repeated_refund_has_one_key_and_a_refused_one_is_an_error(self):
        self.server.answers = [None, (200, {"data": {"verificationToken": "0rf_1"}}, {})]
        client = self.client(access_token="token")
        self.assertEqual(client.create_refund(1001, 500, "parcial"), "0rf_1")
        self.assertEqual(len({headers["Idempotency-Key"] for _, headers, _ in self.server.asked}), 1)
        self.server.answers = [(200, {"data": None, "code": "REFUND_WINDOW_CLOSED", "message": "Too late."}, {})]
        error = self.failure(lambda: client.create_refund(1001, 500, "total"))
        sent = self.server.asked[-1][1]["Idempotency-Key"]
        self.assertEqual((error.code, error.idempotency_key), ("REFUND_WINDOW_CLOSED", sent))

    def test_a_refund_without_an_answer_did_not_name_its_key_so_asked_again_it_was_another(self):
        self.server.answers = [None] * 4 + [(200, {"data": {"verificationToken": "0rf_1"}}, {})]
        client = self.client(access_token="token")
        error = self.failure(lambda: client.create_refund(1001, 500, "parcial"))
        self.assertIn(f"Call again with the idempotency key {error.idempotency_key}.", str(error))
        client.create_refund(1001, 500, "parcial", idempotency_key=error.idempotency_key)
        self.assertEqual(len({headers["Idempotency-Key"] for _, headers, _ in self.server.asked}), 1)

    def test_an_empty_key_was_replaced_by_another_one_for_each_call(self):
        refused = (400, {"code": "INVALID_HEADER", "detail": "1 to 200 characters."}, {})
        self.server.answers = [refused, refused]
        client = self.client(access_token="token")
        account = {"rut": "12345678-5", "bankData": {}}
        for call in (
            lambda: client.create_refund(1001, 500, "parcial", idempotency_key=""),
            lambda: client.validate_bank_account(account, idempotency_key=""),
        ):
            self.assertEqual(self.failure(call).code, "INVALID_HEADER")
        self.assertEqual([headers["Idempotency-Key"] for _, headers, _ in self.server.asked], ["", ""])

    def test_the_feed_is_read_to_its_end(self):
        pages = [{"events": [1], "next": "a b", "has_more": True}, {"events": [], "next": "c", "has_more": False}]
        self.server.answers = [(200, {"data": page}, {}) for page in pages]
        self.assertEqual(list(self.client(access_token="token").events()), pages)
        self.assertEqual([path for path, _, _ in self.server.asked], ["/pay/events", "/pay/events?after=a+b"])

    def test_a_reader_of_the_feed_had_no_way_to_learn_the_cursor_to_go_on_with_after_a_restore(self):
        self.server.answers = [(410, {"code": "CURSOR_TOO_OLD", "detail": "Go on with data.next.", "data": {"next": "one"}}, {})]
        error = self.failure(lambda: list(self.client(access_token="token").events("old")))
        self.assertEqual(error.data, {"next": "one"})

    def test_an_order_that_must_not_be_signed_is_not_sent(self):
        with self.assertRaises(SigningError):
            self.client().create_transaction({**FIELDS, "x_reference": "1x_result"})
        self.assertEqual(self.server.asked, [])

    def test_an_address_that_cannot_work_is_refused_at_once(self):
        for url, says in [("pay.example.cl", "https://pay.example.cl"), ("https://a:b@pay.example.cl", "login instead"),
                          ("https://pay.example.cl/?a=b", "after|follows"), ("https://pay.example.cl/a b", "whole address"),
                          ("https://pay.example.cl/ñ", "whole address"), ("https://pay.example.cl:https", "whole address"),
                          ("https://[::1", "whole address"), ("https://pay.example.cl\n", "whole address"),
                          ("https://pay..example.cl", "whole address"), (f"https://{'a' * 64}.cl", "whole address")]:
            with self.assertRaisesRegex(TypeError, says):
                RubricaClient(url)
        self.assertNotIn("secret", repr(self.client()))
        RubricaClient("https://pagos.ñandú.cl")
        self.assertEqual(repr(RubricaClient("HTTP://127.0.0.1:8080/pay/")), "RubricaClient('http://127.0.0.1:8080/pay')")
