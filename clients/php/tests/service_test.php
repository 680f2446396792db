<?php
// Tests against a running service, which bin/test starts: RUBRICA_URL, SERVICE_TOKEN, SECRET_TOKEN, API_TOKEN.
declare(strict_types=1);

use Rubrica\CallbackVerifier;
use Rubrica\RubricaClient;
use Rubrica\RubricaError;

if (getenv('RUBRICA_URL') === false) return [];

function pay(string $page): void
{
    $paid = ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => 'method=simulated', 'follow_location' => 0];
    file_get_contents($page, false, stream_context_create(['http' => $paid]));
}

/** @return array{string, array<string, string>} the body and the headers of one callback */
function receive($shop): array
{
    $connection = stream_socket_accept($shop, 60);
    $headers = [];
    while (($line = trim(fgets($connection))) !== '') {
        [$name, $value] = explode(': ', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = $value;
    }
    $body = stream_get_contents($connection, (int) $headers['content-length']);
    fwrite($connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    fclose($connection);
    return [$body, $headers];
}

return [
    'an order is paid, told, refunded, and in the feed' => function () {
        $client = new RubricaClient(getenv('RUBRICA_URL'), getenv('SERVICE_TOKEN'), getenv('SECRET_TOKEN'), apiToken: getenv('API_TOKEN'));
        $shop = stream_socket_server('tcp://127.0.0.1:0');
        $url = 'http://' . stream_socket_get_name($shop, false);
        $order = [...fields(), 'x_reference' => 'PHP-1', 'x_url_callback' => "$url/callback", 'x_url_cancel' => "$url/cancel", 'x_url_complete' => "$url/complete"];
        $created = $client->createTransaction($order);
        $id = $created['idTrx'];
        same($id, $client->createTransaction($order)['idTrx']);
        same('pending', $client->getStatus($id));
        pay($created['payUrl'][0]['url']);

        $told = (new CallbackVerifier(getenv('SERVICE_TOKEN'), getenv('SECRET_TOKEN'), true))->verify(...receive($shop));
        $told->compareWith(12990, 'CLP');
        same(['PHP-1', 'completed', (string) $id], [$told->reference, $told->result, $told->transactionId]);
        same($id, $client->getTransaction($id)['idTrx']);

        $key = $client->createRefund($id, 990, 'parcial', 'php-1');
        same($key, $client->createRefund($id, 990, 'parcial', 'php-1'));
        same(true, in_array($client->getRefundStatus($id, $key), ['processing', 'completed'], true));
        same(1, count($client->listRefunds($id)));
        same(200, thrown(RubricaError::class, fn () => $client->createRefund($id, 99_000, 'parcial'))->status);

        // An event enters the feed only when no earlier one can still come.
        for ($asked = 0, $types = []; !in_array('transaction.completed', $types, true); $asked += 1) {
            if ($asked === 600) throw new Exception('the payment is not in the feed');
            usleep($asked === 0 ? 0 : 100_000);
            $types = [];
            foreach ($client->events() as $page) array_push($types, ...array_column($page['events'], 'type'));
        }
        $validation = $client->validateBankAccount(['rut' => '11111111-1', 'bankData' => ['bankSBIFNumber' => '012', 'bankAccount' => '11111111']]);
        same($validation['verdict'], $client->getValidation($validation['id'])['verdict']);
    },
    'a wrong secret is explained' => function () {
        $client = new RubricaClient(getenv('RUBRICA_URL'), getenv('SERVICE_TOKEN'), 'other');
        $error = thrown(RubricaError::class, fn () => $client->createTransaction([...fields(), 'x_reference' => 'PHP-2']));
        same(['SIGNATURE_INVALID', 401], [$error->errorCode, $error->status]);
    },
];
