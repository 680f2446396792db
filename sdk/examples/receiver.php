<?php
// Receives callbacks in plain PHP and marks each order as paid exactly once, however often its callback comes.
//   php -S 127.0.0.1:9000 receiver.php
// Environment: SERVICE_TOKEN, SECRET_TOKEN; ORDERS_FOLDER, else a temporary one; ENVIRONMENT=production for the tokens for production.
require __DIR__ . '/shop.php';

const ORDERS = [
    'ORD-1' => ['amount' => 12990, 'currency' => 'CLP'],
    'ORD-7' => ['amount' => 5000, 'currency' => 'CLP'],
];

/** The status to answer with. */
function receive(string $body): int
{
    try {
        $fields = verify($body);
    } catch (InvalidArgumentException $error) {
        error_log("refused: {$error->getMessage()}");
        return 400;
    }
    $reference = $fields['x_reference'];
    $order = ORDERS[$reference] ?? null;
    if ($order === null) return 404;
    // A completed test is not a payment, and a payment of another amount is not one of this order.
    $expected = [$order['amount'], $order['currency'], getenv('ENVIRONMENT') === 'production' ? 'false' : 'true'];
    if ([(float) $fields['x_amount'], $fields['x_currency'], $fields['x_test']] != $expected) return 400;
    if ($fields['x_result'] === 'completed' && mark_as_paid($reference)) error_log("paid $reference");
    return 200;
}

/**
 * True for the one callback that did it. In a database: UPDATE orders SET state = 'paid' WHERE reference = ? AND
 * state = 'open', and look at the number of rows; what is to be delivered is noted in the same transaction.
 */
function mark_as_paid(string $reference): bool
{
    // The same for every worker of the server, and another for another shop.
    $folder = getenv('ORDERS_FOLDER') ?: sys_get_temp_dir() . '/rubrica-orders-' . sha1(getenv('SERVICE_TOKEN'));
    @mkdir($folder, 0700);
    // Mode x makes the file or fails: of callbacks that come together, one makes it.
    return @fopen("$folder/" . sha1($reference), 'x') !== false;
}

foreach (['SERVICE_TOKEN', 'SECRET_TOKEN'] as $name) {
    if (getenv($name)) continue;
    error_log("Set $name to what bin/rubrica payment-service create printed.");
    http_response_code(500);
    exit;
}

http_response_code($_SERVER['REQUEST_METHOD'] === 'POST' ? receive(file_get_contents('php://input')) : 405);
