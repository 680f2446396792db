<?php
// Tests the vectors of the protocol. The service and the SDK pass them too.
declare(strict_types=1);

use Rubrica\CallbackRefused;
use Rubrica\CallbackVerifier;
use Rubrica\Signer;
use Rubrica\SigningError;

const SECRET = 'made-up-secret-0001';
const ORDER = [
    'x_account_id' => 'svc-1',
    'x_amount' => 12990,
    'x_currency' => 'CLP',
    'x_customer_email' => 'ana@example.cl',
    'x_reference' => 'ORD-1',
    'x_session_id' => 'session-1',
    'x_shop_country' => 'CL',
    'x_url_callback' => 'https://shop.example/callback',
    'x_url_cancel' => 'https://shop.example/cancel',
    'x_url_complete' => 'https://shop.example/complete',
];

function vectors(string $name): array
{
    return json_decode(file_get_contents(__DIR__ . "/../../../test/vectors/$name"), true, 512, JSON_THROW_ON_ERROR);
}

/** Numbers become texts before parsing, because the digits as written are signed. */
function fields_of(string $json): array
{
    return json_decode(preg_replace('/(":\s*)(-?[0-9][0-9.eE+-]*)(?=\s*[,}])/', '$1"$2"', $json), true, 64, JSON_THROW_ON_ERROR);
}

function refusal(array $changes): array
{
    $error = thrown(SigningError::class, fn () => Signer::sign([...ORDER, ...$changes], SECRET));
    return array_map(fn ($problem) => "$problem->code $problem->field", $error->problems);
}

function takes(array $side, string $secret): bool
{
    $body = isset($side['bodyBase64']) ? base64_decode($side['bodyBase64']) : $side['body'];
    try {
        if ($side['direction'] === 'request') {
            $fields = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
            // Skip repeated names: json_decode merges them, and a shop's order cannot have them.
            if (preg_match_all('/"x_\w+":/', $body) !== count($fields)) return false;
            Signer::sign($fields, $secret);
            return true;
        }
        if ($side['media'] === 'application/json') {
            $fields = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
            $pairs = http_build_query($fields);
        } else {
            parse_str($body, $fields);
            $pairs = $body;
        }
        $signature = Signer::signatureOf(Signer::message($fields), $secret);
        (new CallbackVerifier($fields['x_account_id'] ?? '-', $secret, false))->verifyReturn("$pairs&x_signature=$signature");
        return true;
    } catch (SigningError | CallbackRefused | JsonException) {
        return false;
    }
}

return [
    'every vector has its message and signature' => function () {
        $vectors = vectors('signature-vectors.json')['vectors'];
        same(true, count($vectors) > 30);
        foreach ($vectors as $vector) {
            $message = Signer::message(fields_of($vector['fields']));
            same($vector['message'], $message, $vector['name']);
            same($vector['signature'], Signer::signatureOf($message, $vector['secret']), $vector['name']);
        }
    },
    'no pair of bodies with one signature is accepted twice' => function () {
        ['pairs' => $pairs, 'secret' => $secret] = vectors('signature-pairs.json');
        foreach ($pairs as $pair) {
            $taken = (int) takes($pair['a'], $secret) + (int) takes($pair['b'], $secret);
            same(true, $taken <= ($pair['sameMeaning'] ? 2 : 1), $pair['name']);
        }
    },
    'a signed order is the body to send' => function () {
        $body = Signer::sign(ORDER, SECRET);
        same('12990', $body['x_amount']);
        same(Signer::signatureOf(Signer::message(ORDER), SECRET), $body['x_signature']);
        same($body['x_signature'], Signer::sign([...ORDER, 'x_products' => [['name' => 'té']]], SECRET)['x_signature']);
    },
    'what could be read in two ways is refused' => function () {
        same(['AMBIGUOUS_FIELD x_reference'], refusal(['x_reference' => 'ORD-42x_session_idother']));
        same(['UNKNOWN_FIELD x_extra'], refusal(['x_extra' => '1']));
        same(['INVALID_TYPE x_amount'], refusal(['x_amount' => 10.5]));
        same(['INVALID_TYPE x_amount'], refusal(['x_amount' => true]));
        same(['INVALID_TYPE x_reference'], refusal(['x_reference' => null]));
        same(['EMPTY_FIELD x_reference'], refusal(['x_reference' => '']));
        $without = ORDER;
        unset($without['x_currency']);
        $error = thrown(SigningError::class, fn () => Signer::sign($without, SECRET));
        same('MISSING_FIELD', $error->problems[0]->code);
    },
    'every wrong form is named at once' => function () {
        same(
            ['INVALID_CURRENCY x_currency', 'INVALID_AMOUNT x_amount', 'INVALID_EMAIL x_customer_email', 'INVALID_COUNTRY x_shop_country'],
            refusal(['x_amount' => '12.990', 'x_currency' => 'PESO', 'x_customer_email' => 'ana', 'x_shop_country' => 'Chile']),
        );
        same(['INVALID_REFERENCE x_reference'], refusal(['x_reference' => "ORD-1\n"]));
        same(['INVALID_REFERENCE x_reference'], refusal(['x_reference' => "\xff"]));
        same(['FIELD_TOO_LONG x_reference'], refusal(['x_reference' => str_repeat('ñ', 101)]));
        Signer::sign([...ORDER, 'x_reference' => str_repeat('ñ', 100)], SECRET);
    },
    'amounts are what the currency has' => function () {
        foreach ([['12.50', 'USD'], ['12.5', 'USD'], ['1000.00', 'CLP'], ['1000.0', 'CLP'], [500, 'CLP']] as [$amount, $currency]) {
            Signer::sign([...ORDER, 'x_amount' => $amount, 'x_currency' => $currency], SECRET);
        }
        foreach ([['12.990', 'CLP'], ['0', 'CLP'], ['012', 'CLP'], ['1e3', 'CLP'], ['1.234', 'USD'], [-5, 'CLP'], ["5\n", 'CLP']] as [$amount, $currency]) {
            same(['INVALID_AMOUNT x_amount'], refusal(['x_amount' => $amount, 'x_currency' => $currency]), (string) $amount);
        }
    },
    'addresses are in their normal form' => function () {
        foreach (['http://shop.example/', 'https://SHOP.example/', 'https://shop.example:443/', 'https://a@shop.example/', 'https://shop.example/a/../b',
            'https://0x7f.1/', 'https://shop.example/#part', 'https://shop.example/ñ', 'https://localhost/', 'ftp://shop.example/',
            'https://shop.example/a b', "https://shop.example/\n"] as $url) {
            same(['INVALID_URL x_url_callback'], refusal(['x_url_callback' => $url]), $url);
        }
        foreach (['https://shop.example', 'https://shop.example:8443/a~?b=c%20d&e=[1]~', 'https://1.2.3.4/x'] as $url) {
            Signer::sign([...ORDER, 'x_url_callback' => $url, 'x_url_cancel' => '/cart'], SECRET);
        }
        Signer::sign([...ORDER, 'x_url_callback' => 'http://localhost:3000/callback'], SECRET, allowHttp: true);
    },
    'an empty secret signs nothing' => fn () => thrown(InvalidArgumentException::class, fn () => Signer::sign(ORDER, '')),
];
