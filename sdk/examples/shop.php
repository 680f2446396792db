<?php
// A shop in plain PHP: signs, creates and verifies without any package. receiver.php receives the callbacks.
//   php shop.php create ORDER        php shop.php verify 'BODY OF THE CALLBACK'
// Environment: RUBRICA_URL, SERVICE_TOKEN, SECRET_TOKEN, SHOP_URL.

const CALLBACK_FIELDS = ['x_account_id', 'x_amount', 'x_currency', 'x_gateway_reference', 'x_message',
    'x_reference', 'x_result', 'x_test', 'x_timestamp'];
const REQUEST_FIELDS = ['x_account_id', 'x_amount', 'x_currency', 'x_customer_email', 'x_reference',
    'x_session_id', 'x_shop_country', 'x_url_callback', 'x_url_cancel', 'x_url_complete'];

/** Refuses what could be read in two ways: the message has no separators. */
function refuse_ambiguous(array $fields): void
{
    $names = array_merge(CALLBACK_FIELDS, REQUEST_FIELDS, ['x_signature', 'x_products', 'x_billing_details', 'x_shippment', 'x_document']);
    foreach ($fields as $name => $value) {
        if (!is_string($value) || $value === '') throw new InvalidArgumentException("$name must be text");
        foreach ($names as $known) {
            if (str_contains($value, $known)) throw new InvalidArgumentException("$name contains $known");
        }
    }
}

function signature_of(array $fields, string $secret): string
{
    ksort($fields, SORT_STRING);
    $message = '';
    foreach ($fields as $name => $value) $message .= $name . $value;
    return hash_hmac('sha256', $message, $secret);
}

function create(string $order): string
{
    $shop = getenv('SHOP_URL');
    $fields = [
        'x_account_id' => getenv('SERVICE_TOKEN'),
        'x_amount' => '5000',
        'x_currency' => 'CLP',
        'x_customer_email' => 'buyer@example.cl',
        'x_reference' => $order,
        'x_session_id' => 'session-' . $order,
        'x_shop_country' => 'CL',
        'x_url_callback' => "$shop/callback",
        'x_url_cancel' => "$shop/cancel",
        'x_url_complete' => "$shop/complete",
    ];
    refuse_ambiguous($fields);
    $fields['x_signature'] = signature_of($fields, getenv('SECRET_TOKEN'));
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => 'Content-Type: application/json',
        'content' => json_encode($fields),
        'ignore_errors' => true,
    ]]);
    return file_get_contents(getenv('RUBRICA_URL') . '/trxs', false, $context);
}

/** Takes the raw body (php://input), never $_REQUEST: that one merges the query in. */
function verify(string $body): array
{
    $fields = [];
    foreach (explode('&', $body) as $pair) {
        [$name, $value] = array_map('urldecode', explode('=', $pair, 2) + [1 => '']);
        if (isset($fields[$name])) throw new InvalidArgumentException("$name occurs twice");
        $fields[$name] = $value;
    }
    $received = $fields['x_signature'] ?? '';
    unset($fields['x_signature']);
    ksort($fields, SORT_STRING);
    if (array_keys($fields) !== CALLBACK_FIELDS) throw new InvalidArgumentException('not the nine fields of a callback');
    refuse_ambiguous($fields);
    if (!hash_equals(signature_of($fields, getenv('SECRET_TOKEN')), $received)) throw new InvalidArgumentException('the signature is wrong');
    if (!hash_equals(getenv('SERVICE_TOKEN'), $fields['x_account_id'])) throw new InvalidArgumentException('another account');
    // Now compare x_reference, x_amount, x_currency and x_test with your order, and check that it is not paid already.
    return $fields;
}

if (PHP_SAPI === 'cli') {
    try {
        if ($argv[1] === 'create') {
            echo create($argv[2]), "\n";
        } else {
            $fields = verify($argv[2]);
            echo "genuine {$fields['x_result']} {$fields['x_reference']} {$fields['x_amount']}\n";
        }
    } catch (InvalidArgumentException $error) {
        fwrite(STDERR, "not genuine: {$error->getMessage()}\n");
        exit(1);
    }
}
