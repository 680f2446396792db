<?php
// Receives callbacks and processes each order exactly once, even if its callback is repeated.
//   php -S 127.0.0.1:9000 receiver.php
// Environment: SERVICE_TOKEN, SECRET_TOKEN; OLD_SECRET_TOKEN during a rotation; ENVIRONMENT=production for production tokens;
// ORDERS_FILE with orders as printed by bin/rubrica chaos orders, amounts in pesos; ORDERS_FOLDER, by default a temporary folder.
require __DIR__ . '/../autoload.php'; // with Composer: vendor/autoload.php

use Rubrica\CallbackRefused;
use Rubrica\CallbackVerifier;

const ORDERS = [
    ['reference' => 'ORD-1', 'amount' => 12990, 'currency' => 'CLP'],
    ['reference' => 'ORD-7', 'amount' => 5000, 'currency' => 'CLP'],
];

/** Returns the HTTP status of the response. */
function receive(string $body, array $headers): int
{
    $secrets = array_filter([getenv('SECRET_TOKEN'), getenv('OLD_SECRET_TOKEN')]);
    $verifier = new CallbackVerifier(getenv('SERVICE_TOKEN'), $secrets, getenv('ENVIRONMENT') !== 'production');
    try {
        $callback = $verifier->verify($body, $headers);
        $order = find_order($callback->reference);
        if ($order === null) return 404;
        $callback->compareWith($order['amount'], $order['currency']);
    } catch (CallbackRefused $refusal) {
        error_log("refused: {$refusal->getMessage()}");
        return 400;
    }
    $paid = $callback->result === 'completed' && mark_as_paid($callback->reference, $callback->webhookId);
    if ($paid) error_log("paid $callback->reference");
    return 200;
}

/**
 * Returns true only for the callback that marks the order as paid. With a database, do this in one transaction: insert
 * $webhookId into a table where it is a unique key, UPDATE orders SET state = 'paid' WHERE reference = ? AND state =
 * 'open', and record the delivery.
 */
function mark_as_paid(string $reference, string $webhookId): bool
{
    $file = fopen(state_file($reference), 'c+');
    flock($file, LOCK_EX);
    $kept = json_decode(stream_get_contents($file), true) ?? ['state' => 'open', 'deliveries' => 0, 'webhook_ids' => []];
    $isFirst = $kept['state'] === 'open' && !in_array($webhookId, $kept['webhook_ids'], true);
    if ($isFirst) {
        $kept['webhook_ids'][] = $webhookId;
        rewind($file);
        fwrite($file, json_encode(['state' => 'paid', 'deliveries' => $kept['deliveries'] + 1] + $kept));
    }
    fclose($file);
    return $isFirst;
}

function find_order(string $reference): ?array
{
    $orders = getenv('ORDERS_FILE') ? json_decode(file_get_contents(getenv('ORDERS_FILE')), true) : ORDERS;
    $order = array_column($orders, null, 'reference')[$reference] ?? null;
    if ($order === null) return null;
    $kept = is_file(state_file($reference)) ? json_decode(file_get_contents(state_file($reference)), true) : null;
    return ($kept ?? ['state' => 'open', 'deliveries' => 0]) + $order;
}

/** Returns a path that all workers of this server share, and that no other shop uses. */
function state_file(string $reference): string
{
    $folder = getenv('ORDERS_FOLDER') ?: sys_get_temp_dir() . '/rubrica-orders-' . sha1(getenv('SERVICE_TOKEN'));
    if (!is_dir($folder)) @mkdir($folder, 0700);
    return "$folder/" . sha1($reference) . '.json';
}

foreach (['SERVICE_TOKEN', 'SECRET_TOKEN'] as $name) {
    if (getenv($name)) continue;
    error_log("Set $name to what bin/rubrica payment-service create printed.");
    http_response_code(500);
    exit;
}
// The payer's browser comes back here, also with a POST. These pages decide nothing: the callback does.
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (in_array($path, ['/complete', '/cancel'], true)) {
    header('Content-Type: text/plain');
    exit("Thank you. The callback says whether the order is paid.\n");
}
if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    http_response_code(receive(file_get_contents('php://input'), $_SERVER));
    exit;
}
// The address for --order-url of bin/rubrica chaos run.
$order = find_order(rawurldecode(explode('/orders/', $path, 2)[1] ?? ''));
http_response_code($order === null ? 404 : 200);
echo json_encode($order ?? ['error' => 'no such order']);
