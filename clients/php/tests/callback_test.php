<?php
declare(strict_types=1);

use Rubrica\CallbackRefused;
use Rubrica\CallbackVerifier;
use Rubrica\Signer;

const NOW = 1_790_000_000;
const CURRENT = '5f3a9c1e7b2d4f60a1b2c3d4e5f60718';
const OLD = 'the-secret-before';
const TOLD = [
    'x_account_id' => 'svc-1',
    'x_amount' => '12990.00',
    'x_currency' => 'CLP',
    'x_gateway_reference' => '1001',
    'x_message' => 'Approved',
    'x_reference' => 'ORD-ñ 1',
    'x_result' => 'completed',
    'x_test' => 'false',
    'x_timestamp' => '2026-01-15T12:01:30.000Z',
];

/** Signs independently of the package. */
function headers_of(string $body, string $secret = CURRENT, int $sentAt = NOW): array
{
    $extracted = hash_hmac('sha256', $secret, str_repeat("\0", 32), true);
    $key = hash_hmac('sha256', "callback-v2\x01", $extracted, true);
    $signature = 'v1,' . base64_encode(hash_hmac('sha256', "evt_1001_2.$sentAt.$body", $key, true));
    return ['Webhook-Id' => 'evt_1001_2', 'Webhook-Timestamp' => (string) $sentAt, 'Webhook-Signature' => $signature, 'Rubrica-Sequence' => '2'];
}

/** @return array{string, array<string, string>} */
function callback(array $changes = [], string $secret = CURRENT, int $sentAt = NOW): array
{
    $fields = [...TOLD, ...$changes];
    $body = http_build_query([...$fields, 'x_signature' => Signer::signatureOf(Signer::message($fields), $secret)]);
    return [$body, headers_of($body, $secret, $sentAt)];
}

function verifier(string|array $secrets = CURRENT, bool $test = false, int $tolerance = 300): CallbackVerifier
{
    return new CallbackVerifier('svc-1', $secrets, $test, $tolerance);
}

function refused(string $code, array $callback, ?CallbackVerifier $by = null): void
{
    $error = thrown(CallbackRefused::class, fn () => ($by ?? verifier())->verify(...[...$callback, NOW]));
    same($code, $error->problem->code);
}

return [
    'a genuine callback says what happened' => function () {
        $told = verifier()->verify(...[...callback(), NOW]);
        same(['ORD-ñ 1', '12990.00', 'CLP', 'completed', '1001', false], [$told->reference, $told->amount, $told->currency, $told->result, $told->transactionId, $told->test]);
        same(['evt_1001_2', 2], [$told->webhookId, $told->sequence]);
    },
    'headers may be those of $_SERVER' => function () {
        [$body, $headers] = callback();
        $server = ['REQUEST_METHOD' => 'POST', 'REQUEST_TIME' => 5];
        foreach ($headers as $name => $value) $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
        same('evt_1001_2', verifier()->verify($body, $server, NOW)->webhookId);
    },
    'every field is covered by the signature' => function () {
        [$body] = callback();
        foreach (TOLD as $name => $value) {
            $written = http_build_query([$name => $value]);
            $other = str_replace($written, $written . '0', $body);
            same(false, $other === $body, $name);
            thrown(CallbackRefused::class, fn () => verifier()->verify($other, headers_of($other), NOW));
        }
    },
    'a failed payment cut anew is refused' => function () {
        $time = TOLD['x_timestamp'];
        refused('AMBIGUOUS_FIELD', callback(['x_message' => 'Declined', 'x_timestamp' => "{$time}x_resultfailedx_testfalsex_timestamp$time"]));
    },
    'one field more, less or twice is refused' => function () {
        refused('UNKNOWN_FIELD', callback(['x_products' => 'none']));
        [$body] = callback();
        $last = substr($body, -1) === '0' ? '1' : '0';
        foreach ([
            ['MISSING_FIELD', str_replace('x_message=Approved&', '', $body)],
            ['DUPLICATE_KEY', "$body&x_amount=1"],
            ['SIGNATURE_MISSING', strstr($body, '&x_signature', true)],
            ['INVALID_ENCODING', str_replace('%C3%B1', '%C3', $body)],
            ['INVALID_ENCODING', str_replace('%C3%B1', '%C', $body)],
            ['INVALID_ENCODING', str_replace('%C3%B1', "\xf1", $body)],
            ['CONTROL_CHARACTER', str_replace('%C3%B1', '%0A', $body)],
            ['SIGNATURE_INVALID', substr($body, 0, -1) . $last],
            ['SIGNATURE_INVALID', substr($body, 0, -64) . strtoupper(substr($body, -64))],
            ['UNKNOWN_FIELD', str_replace('x_amount', 'x_amount[]', $body)],
        ] as [$code, $other]) refused($code, [$other, headers_of($other)]);
    },
    'a long name that was cut within a character left a message that no JSON could hold' => function () {
        $refusal = thrown(CallbackRefused::class, fn () => verifier()->verify(str_repeat('a', 63) . '%C3%B1=1', [], NOW));
        same(str_repeat('a', 63) . 'ñ', $refusal->problem->field);
        json_encode($refusal->getMessage(), JSON_THROW_ON_ERROR);
    },
    'a body that was turned into JSON was refused as one unknown field' => function () {
        [$body] = callback();
        parse_str($body, $fields);
        $json = json_encode($fields);
        $refusal = thrown(CallbackRefused::class, fn () => verifier()->verify($json, headers_of($json), NOW));
        same(true, str_contains($refusal->getMessage(), 'it is JSON') && str_contains($refusal->getMessage(), 'php://input'));
    },
    'the headers are of this body and of now' => function () {
        [$body, $headers] = callback();
        refused('WEBHOOK_HEADERS_MISSING', [$body, []]);
        refused('WEBHOOK_SIGNATURE_INVALID', [$body, [...$headers, 'Webhook-Id' => 'evt_1']]);
        refused('WEBHOOK_SIGNATURE_INVALID', [$body, ['Webhook-Id' => 'evt_1001_2']]);
        refused('WEBHOOK_TIME_REFUSED', callback(sentAt: NOW - 301));
        refused('WEBHOOK_TIME_REFUSED', callback(sentAt: NOW + 301));
        verifier()->verify(...[...callback(sentAt: NOW - 299), NOW]);
        verifier(tolerance: 900)->verify(...[...callback(sentAt: NOW - 899), NOW]);
    },
    'a secret counts as long as it is named' => function () {
        $both = verifier([CURRENT, OLD]);
        $both->verify(...[...callback(secret: OLD), NOW]);
        $both->verify(...[...callback(), NOW]);
        refused('SIGNATURE_INVALID', callback(secret: OLD));
        // During a rotation the header has one signature per secret.
        [$body, $headers] = callback();
        $many = headers_of($body, OLD)['Webhook-Signature'] . ' ' . $headers['Webhook-Signature'];
        verifier()->verify($body, [...$headers, 'Webhook-Signature' => $many], NOW);
        thrown(InvalidArgumentException::class, fn () => verifier([CURRENT, '']));
        thrown(InvalidArgumentException::class, fn () => verifier([]));
    },
    'another account and a test are refused' => function () {
        refused('ACCOUNT_MISMATCH', callback(['x_account_id' => 'svc-2']));
        refused('TEST_MISMATCH', callback(['x_test' => 'true']));
        refused('TEST_MISMATCH', callback(), verifier(test: true));
    },
    'the order is compared in its own terms' => function () {
        $told = verifier()->verify(...[...callback(), NOW]);
        foreach ([12990, '12990', '12990.0', '12990.00'] as $amount) $told->compareWith($amount, 'CLP');
        foreach ([[12991, 'CLP', 'AMOUNT_MISMATCH'], [1299, 'CLP', 'AMOUNT_MISMATCH'], [12990, 'USD', 'CURRENCY_MISMATCH']] as [$amount, $currency, $code]) {
            same($code, thrown(CallbackRefused::class, fn () => $told->compareWith($amount, $currency))->problem->code);
        }
        foreach (['12.990', '12,990', ''] as $unclear) thrown(InvalidArgumentException::class, fn () => $told->compareWith($unclear, 'CLP'));
        thrown(TypeError::class, fn () => $told->compareWith(12990.5, 'CLP'));
    },
    'what the browser brings has no headers' => function () {
        [$body] = callback();
        same(null, verifier()->verifyReturn($body)->webhookId);
        thrown(CallbackRefused::class, fn () => verifier()->verifyReturn(str_replace('completed', 'pending', $body)));
    },
    'a notice of a refund or a payout could not be verified' => function () {
        $vector = json_decode(file_get_contents(__DIR__ . '/../../../test/vectors/notice-vector.json'), true);
        ['body' => $body, 'timestamp' => $at] = $vector;
        $headers = ['Webhook-Id' => $vector['id'], 'Webhook-Timestamp' => (string) $at, 'Webhook-Signature' => $vector['signature']];
        $own = verifier(['other', $vector['secret']]);
        same(json_decode($body, true), $own->verifyNotice($body, $headers, $at));
        [$form, $formHeaders] = callback();
        foreach ([
            ['WEBHOOK_HEADERS_MISSING', $own, $body, [], $at],
            ['WEBHOOK_SIGNATURE_INVALID', $own, str_replace('completed', 'failed', $body), $headers, $at],
            ['WEBHOOK_SIGNATURE_INVALID', verifier(), $body, $headers, $at],
            ['WEBHOOK_TIME_REFUSED', $own, $body, $headers, $at + 301],
            ['NOT_AN_OBJECT', verifier(), $form, $formHeaders, NOW],
            ['NOT_AN_OBJECT', verifier(), '[]', headers_of('[]'), NOW],
        ] as [$code, $by, $given, $sent, $now]) {
            same($code, thrown(CallbackRefused::class, fn () => $by->verifyNotice($given, $sent, $now))->problem->code);
        }
    },
    'nothing shows a secret' => fn () => same(false, str_contains(print_r(verifier(), true), CURRENT)),
];
