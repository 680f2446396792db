<?php
// Refunds a payment like PHP shops: with their calls, headers and bodies, and only the standard library. Prints each response as
// one line of JSON: {step, status, body}.
//   php nullification-client.php ID_TRX DAY
// Environment: RUBRICA_URL, SHOP_USER, SHOP_PASSWORD, HTTP_VERSION.

final class Client
{
    private ?string $authorization = null;

    public function __construct(private string $base, private float $httpVersion)
    {
    }

    /** Existing clients put the type that the log-in names before the token. */
    public function logIn(string $user, string $password): void
    {
        $data = $this->send('login', 'POST', '/users/login', ['username' => $user, 'password' => $password])->data;
        $this->authorization = "{$data->token_type} {$data->access_token_jwt}";
    }

    public function send(string $step, string $method, string $path, ?array $body = null): object
    {
        $headers = ['Accept: application/json', 'Connection: close'];
        if ($this->authorization !== null) $headers[] = "Authorization: {$this->authorization}";
        if ($body !== null) $headers[] = 'Content-Type: application/json';
        $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true, 'protocol_version' => $this->httpVersion];
        if ($body !== null) $http['content'] = json_encode($body, JSON_PRESERVE_ZERO_FRACTION);
        $text = file_get_contents($this->base . $path, false, stream_context_create(['http' => $http]));
        preg_match('{^HTTP/\S+ (\d{3})}', $http_response_header[0], $line);
        $answer = json_decode($text);
        $shown = $step === 'login' ? ['message' => $answer->message] : $answer;
        echo json_encode(['step' => $step, 'status' => (int) $line[1], 'body' => $shown]), "\n";
        return $answer;
    }

    /** What a shop waits for after its refund was accepted. */
    public function waitForEnd(string $path, string $verificationToken): void
    {
        $query = http_build_query(['verificationToken' => $verificationToken]);
        do {
            usleep(50000);
            $status = $this->send('status', 'GET', "$path/status?$query")->data->status;
        } while ($status === 'processing');
    }
}

[, $idTrx, $day] = $argv;
$path = "/trxs/$idTrx/nullification";
$client = new Client(getenv('RUBRICA_URL'), (float) getenv('HTTP_VERSION'));
$client->logIn(getenv('SHOP_USER'), getenv('SHOP_PASSWORD'));

// A float, as in PHP, and a member that some clients add.
$part = $client->send('parcial', 'POST', $path, ['amount' => 2990.0, 'type' => 'parcial', 'nullifyTbk' => true]);
$client->waitForEnd($path, $part->data->verificationToken);
$client->send('nothing', 'POST', $path, ['amount' => 0, 'type' => 'parcial']);
$rest = $client->send('total', 'POST', "$path/", ['amount' => 10000, 'type' => 'total']);
$client->waitForEnd($path, $rest->data->verificationToken);
$client->send('again', 'POST', $path, ['amount' => 10000, 'type' => 'total']);
$client->send('list', 'GET', "$path/");
$client->send('foreign', 'GET', '/trxs/1/nullification/');
$query = http_build_query(['email' => getenv('SHOP_USER'), 'date' => $day]);
$client->send('conciliation', 'GET', "/remittances/conciliation/?$query");
