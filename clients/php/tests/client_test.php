<?php
// Tests the client alone, against prepared responses.
declare(strict_types=1);

use Rubrica\RubricaClient;
use Rubrica\RubricaError;
use Rubrica\SigningError;

final class Answers
{
    public string $url;
    /** @var list<float> */
    public array $waits = [];
    private $process;
    private array $pipes = [];

    public function __construct(array ...$answers)
    {
        $this->process = proc_open([PHP_BINARY, __DIR__ . '/answers.php'], [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        foreach ($answers as $answer) fwrite($this->pipes[0], json_encode($answer ?: null) . "\n");
        $this->url = 'http://' . trim(fgets($this->pipes[1])) . '/pay';
    }

    public function __destruct()
    {
        fclose($this->pipes[0]);
        fclose($this->pipes[1]);
        proc_terminate($this->process);
        proc_close($this->process);
    }

    public function client(string ...$options): RubricaClient
    {
        $sleep = function (float $seconds): void {
            $this->waits[] = $seconds;
        };
        return new RubricaClient(...['baseUrl' => $this->url, 'serviceToken' => 'svc-1', 'secretToken' => 'secret', 'sleep' => $sleep, ...$options]);
    }

    /** @return array{head: string, body: string} the next request */
    public function asked(): array
    {
        return json_decode(fgets($this->pipes[1]), true);
    }

    public function header(string $name): string
    {
        return preg_match("/^$name: (.*)\r$/mi", $this->asked()['head'], $found) === 1 ? $found[1] : '';
    }
}

function failure(callable $call): RubricaError
{
    return thrown(RubricaError::class, $call);
}

function fields(): array
{
    $fields = ORDER;
    unset($fields['x_account_id']);
    return $fields;
}

const LOST = [];

return [
    'repeats the same signed bytes until there is an answer' => function () {
        $created = [200, ['data' => ['idTrx' => 1001, 'payUrl' => []]], []];
        $answers = new Answers(LOST, [503, ['code' => 'OVERLOADED', 'detail' => 'Too much.'], ['retry-after' => 2]], $created);
        same(1001, $answers->client()->createTransaction(fields())['idTrx']);
        $bodies = [];
        foreach ([1, 2, 3] as $_) $bodies[] = ($asked = $answers->asked())['body'];
        same(1, count(array_unique($bodies)));
        same(true, str_starts_with($asked['head'], 'POST /pay/trxs HTTP/1.1'));
        same(true, count($answers->waits) === 2 && $answers->waits[1] >= 2);
    },
    'a refusal says where, why and what to do' => function () {
        $errors = [['message' => 'The body cannot be used.', 'fix' => 'Write digits.'], ['message' => 'No name.', 'fix' => 'Write digits.'], ['message' => 'No name.', 'fix' => 'Write digits.']];
        $answers = new Answers([400, ['code' => 'INVALID_BODY', 'detail' => 'The body cannot be used.', 'request_id' => 'req_1', 'errors' => $errors], []]);
        $error = failure(fn () => $answers->client()->createTransaction(fields()));
        same("INVALID_BODY: The body cannot be used. Write digits. No name. Write digits. (POST $answers->url/trxs answered 400, request req_1)", $error->getMessage());
        same([400, false, []], [$error->status, $error->retryable, $answers->waits]);
    },
    'without a connection nothing was sent' => function () {
        $taken = stream_socket_server('tcp://127.0.0.1:0');
        $url = 'http://' . stream_socket_get_name($taken, false);
        fclose($taken);
        $error = failure(fn () => (new RubricaClient($url, 'svc-1', 'secret', sleep: fn () => null))->createTransaction(fields()));
        same('NOT_SENT', $error->errorCode);
        same(1, preg_match("~Connection refused\), so nothing was sent\. Check that the service runs.*\(POST $url/trxs\)~", $error->getMessage()), $error->getMessage());
    },
    'https at a port that answers with plain HTTP told to check a certificate' => function () {
        $code = '$server = stream_socket_server("tcp://127.0.0.1:0"); echo stream_socket_get_name($server, false), "\n";'
            . 'while ($one = @stream_socket_accept($server, 5)) { fread($one, 1000); fwrite($one, "HTTP/1.1 400 Bad Request\r\n\r\n"); fclose($one); }';
        $process = proc_open([PHP_BINARY, '-r', $code], [1 => ['pipe', 'w']], $pipes);
        $url = 'https://' . trim(fgets($pipes[1]));
        $error = failure(fn () => (new RubricaClient($url, accessToken: 'a', sleep: fn () => null))->getStatus(1));
        proc_terminate($process);
        same(['NOT_SENT', 1], [$error->errorCode, preg_match('~does not answer with TLS: check the port~', $error->getMessage())], $error->getMessage());
    },
    'a server whose settings forbid every connection told that the transaction may have been made' => function () {
        $code = "require 'autoload.php'; try { (new Rubrica\RubricaClient('https://127.0.0.1:1', accessToken: 'a', sleep: fn () => null))->getStatus(1); } "
            . 'catch (Rubrica\RubricaError $error) { echo $error->getMessage(); }';
        $process = proc_open([PHP_BINARY, '-d', 'disable_functions=stream_socket_client', '-r', $code], [1 => ['pipe', 'w']], $pipes, dirname(__DIR__));
        $said = stream_get_contents($pipes[1]);
        proc_close($process);
        same(1, preg_match('~^NOT_SENT: .*so nothing was sent\. Take stream_socket_client out of disable_functions in php\.ini~', $said), $said);
    },
    'what was sent without an answer may have been done' => function () {
        $answers = new Answers(LOST, LOST, LOST, LOST);
        same('NO_ANSWER', failure(fn () => $answers->client()->createTransaction(fields()))->errorCode);
        same(3, count($answers->waits));
    },
    'what was sent, and then was too much or met a proxy, looked as if it had not been done' => function () {
        $limited = [429, ['code' => 'RATE_LIMITED', 'detail' => 'Too many.'], ['retry-after' => 60]];
        foreach ([[$limited], [[403, '<html>', []]], array_fill(0, 3, [502, '<html>', []])] as $last) {
            $answers = new Answers(LOST, ...$last);
            same('NO_ANSWER', failure(fn () => $answers->client(accessToken: 'token')->createRefund(1001, 500, 'parcial'))->errorCode);
        }
    },
    'what was sent, and then had its token refused, looked as if it had not been done' => function () {
        $token = [200, ['access_token_jwt' => 'one', 'expires_in' => 3600], []];
        $refused = [401, ['code' => 'TOKEN_INVALID', 'detail' => 'It is over.'], []];
        $down = array_fill(0, 4, [502, '<html>', []]);
        $cases = [
            ['accessToken', [LOST, $refused]],
            ['apiToken', [$token, LOST, $refused, ...$down]],
            ['apiToken', [$token, LOST, $refused, $token, ...$down]],
        ];
        foreach ($cases as [$option, $script]) {
            $answers = new Answers(...$script);
            $error = failure(fn () => $answers->client(...[$option => 'token'])->createRefund(1001, 500, 'parcial', 'key-1'));
            same(['NO_ANSWER', 'key-1'], [$error->errorCode, $error->idempotencyKey]);
        }
    },
    'an answer that is cut off is none' => function () {
        $cut = [200, ['data' => ['idTrx' => 1, 'payUrl' => []]], ['cut' => 5]];
        $answers = new Answers($cut, $cut, $cut, $cut);
        same('NO_ANSWER', failure(fn () => $answers->client()->createTransaction(fields()))->errorCode);
    },
    'an answer in chunks that was cut off was taken for one of another service, and a refund for not done' => function () {
        $cut = [200, '{"message":"ok","errors":null,"da', ['chunked' => true, 'cut' => 5]];
        $answers = new Answers($cut, $cut, $cut, $cut);
        same('NO_ANSWER', failure(fn () => $answers->client()->createTransaction(fields()))->errorCode);
        same(3, count($answers->waits));
    },
    'an answer that does not come in time is none' => function () {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $client = new RubricaClient('http://' . stream_socket_get_name($server, false), 'svc-1', 'secret', timeout: 0.05, sleep: fn () => null);
        same('NO_ANSWER', failure(fn () => $client->createTransaction(fields()))->errorCode);
    },
    'an answer that came by a byte now and then was waited for without end' => function () {
        $drop = [200, ['data' => ['idTrx' => 1, 'payUrl' => []]], ['drips' => true]];
        $answers = new Answers($drop, $drop, $drop, $drop);
        $client = new RubricaClient($answers->url, 'svc-1', 'secret', timeout: 0.2, sleep: fn () => null);
        $error = failure(fn () => $client->createTransaction(fields()));
        same(true, str_contains($error->getMessage(), 'no answer: none within 0.2 s'), $error->getMessage());
    },
    'an answer is whole where a proxy leaves the connection open' => function () {
        $created = json_encode(['data' => ['idTrx' => 1, 'payUrl' => []]]);
        $answers = new Answers(
            [200, $created, ['stays' => true]],
            [200, $created, ['stays' => true, 'first' => true]],
            [200, "$created\r\n0\r\n\r\n", ['stays' => true, 'chunked' => true, 'cut' => -7]],
        );
        foreach ([1, 2, 3] as $_) same(1, $answers->client()->createTransaction(fields())['idTrx']);
    },
    'chunks with an extension, trailers or a length beside them end where the last one does' => function () {
        $created = json_encode(['data' => ['idTrx' => 1, 'payUrl' => []]]);
        $last = "\r\n00;x=y\r\nX-Sum: 1\r\n\r\n";
        $chunked = ['stays' => true, 'chunked' => true, 'cut' => -strlen($last)];
        $like = "{\"more\":\r\n0\r\n\r\n," . substr($created, 1);
        $answers = new Answers(
            [200, $created . $last, $chunked],
            [200, $like . $last, $chunked + ['length' => 2, 'drips' => true]],
        );
        foreach ([1, 2] as $_) {
            $client = new RubricaClient($answers->url, 'svc-1', 'secret', timeout: 10, sleep: fn () => throw new LogicException('repeated'));
            same(1, $client->createTransaction(fields())['idTrx']);
        }
        $nothing = new Answers([204, '', ['stays' => true]], [304, '', ['stays' => true, 'cut' => 9]]);
        $start = hrtime(true);
        foreach ([1, 2] as $_) failure(fn () => (new RubricaClient($nothing->url, 'svc-1', 'secret', timeout: 10, sleep: fn () => null, patience: 0))->createTransaction(fields()));
        same(true, hrtime(true) - $start < 5e9, 'a response without a body was waited for');
    },
    'a payer who waits was made to wait for every repeat' => function () {
        $busy = fn (int $seconds) => [503, ['code' => 'OVERLOADED', 'detail' => 'Too much.'], ['retry-after' => $seconds]];
        $answers = new Answers($busy(0), $busy(4));
        $client = new RubricaClient($answers->url, 'svc-1', 'secret', sleep: fn () => null, patience: 4);
        same('OVERLOADED', failure(fn () => $client->createTransaction(fields()))->errorCode);
        foreach ([1, 2] as $_) $answers->asked();
    },
    'an answer in chunks, and one after the word that the request is there, are whole' => function () {
        $created = json_encode(['data' => ['idTrx' => 1, 'payUrl' => []]]);
        $answers = new Answers([200, "$created\r\n0\r\n\r\n", ['chunked' => true, 'cut' => -7]], [200, $created, ['first' => true]]);
        foreach ([1, 2] as $_) same(1, $answers->client()->createTransaction(fields())['idTrx']);
    },
    'a page of a proxy is no answer of the service' => function () {
        foreach (['<html>', ['code' => 404, 'detail' => 'Not found.'], ['code' => 'A', 'detail' => 'b', 'errors' => 'c']] as $page) {
            $answers = new Answers([404, $page, []]);
            $error = failure(fn () => $answers->client()->createTransaction(fields()));
            same(['UNREADABLE_ANSWER', 404], [$error->errorCode, $error->status]);
        }
    },
    'JSON of something else with status 200 was an undefined index or a TypeError, and a refund without its key' => function () {
        foreach ([new stdClass(), [], 'null', 5, '<html>', ['data' => null], ['data' => new stdClass()], ['ok' => true], ['code' => 'E1', 'message' => 'Down']] as $page) {
            $answer = [200, $page, []];
            $answers = new Answers(...array_fill(0, 8, $answer));
            $client = $answers->client(accessToken: 'token');
            $calls = [
                fn () => $client->createTransaction(fields()),
                fn () => $client->getStatus(1001),
                fn () => $client->getTransaction(1001),
                fn () => $client->validateBankAccount([]),
                fn () => $client->listRefunds(1001),
                fn () => iterator_to_array($client->events()),
                fn () => $answers->client(apiToken: 'api_1')->getStatus(1001),
                fn () => $client->createRefund(1001, 500, 'parcial', 'key-1'),
            ];
            foreach ($calls as $call) {
                $error = failure($call);
                same(['UNREADABLE_ANSWER', 200], [$error->errorCode, $error->status]);
            }
            same('key-1', $error->idempotencyKey);
        }
    },
    'a token is fetched once, and renewed when it is refused' => function () {
        $token = [200, ['access_token_jwt' => 'one', 'expires_in' => 3600], []];
        $other = [200, ['access_token_jwt' => 'two', 'expires_in' => 3600], []];
        $found = [200, ['data' => ['status' => 'complete']], []];
        $answers = new Answers($token, $found, $found, [401, ['code' => 'TOKEN_INVALID', 'detail' => 'It is over.'], []], $other, $found);
        $client = $answers->client(apiToken: 'api_1');
        foreach ([1, 2, 3] as $_) same('complete', $client->getStatus(1001));
        $sent = array_map(fn () => $answers->header('Authorization'), range(1, 6));
        same(['Bearer api_1', 'Bearer one', 'Bearer one', 'Bearer one', 'Bearer api_1', 'Bearer two'], $sent);
    },
    'a repeated refund has one key, and a refused one is an error' => function () {
        $late = [200, ['data' => null, 'code' => 'REFUND_WINDOW_CLOSED', 'message' => 'Too late.'], []];
        $answers = new Answers(LOST, [200, ['data' => ['verificationToken' => '0rf_1']], []], $late);
        $client = $answers->client(accessToken: 'token');
        same('0rf_1', $client->createRefund(1001, 500, 'parcial'));
        same($answers->header('Idempotency-Key'), $answers->header('Idempotency-Key'));
        $error = failure(fn () => $client->createRefund(1001, 500, 'total'));
        same(['REFUND_WINDOW_CLOSED', $answers->header('Idempotency-Key')], [$error->errorCode, $error->idempotencyKey]);
    },
    'a refund without an answer did not name its key, so asked again it was another' => function () {
        $answers = new Answers(LOST, LOST, LOST, LOST, [200, ['data' => ['verificationToken' => '0rf_1']], []]);
        $client = $answers->client(accessToken: 'token');
        $error = failure(fn () => $client->createRefund(1001, 500, 'parcial'));
        same(true, str_contains($error->getMessage(), "Call again with the idempotency key $error->idempotencyKey."), $error->getMessage());
        $client->createRefund(1001, 500, 'parcial', $error->idempotencyKey);
        foreach (range(1, 5) as $_) same($error->idempotencyKey, $answers->header('Idempotency-Key'));
    },
    'the feed is read to its end' => function () {
        $pages = [['events' => [1], 'next' => 'a b', 'has_more' => true], ['events' => [], 'next' => 'c', 'has_more' => false]];
        $answers = new Answers(...array_map(fn ($page) => [200, ['data' => $page], []], $pages));
        same($pages, iterator_to_array($answers->client(accessToken: 'token')->events()));
        $answers->asked();
        same(true, str_starts_with($answers->asked()['head'], 'GET /pay/events?after=a+b HTTP'));
    },
    'a reader of the feed had no way to learn the cursor to go on with after a restore' => function () {
        $answers = new Answers([410, ['code' => 'CURSOR_TOO_OLD', 'detail' => 'Go on with data.next.', 'data' => ['next' => 'one']], []]);
        $error = failure(fn () => iterator_to_array($answers->client(accessToken: 'token')->events('old')));
        same(['next' => 'one'], $error->data);
    },
    'an order that must not be signed is not sent' => fn () => thrown(
        SigningError::class,
        fn () => (new RubricaClient('http://127.0.0.1:1', 'svc-1', 'secret'))->createTransaction([...fields(), 'x_reference' => '1x_result']),
    ),
    'the trace of an error, as it is dumped or sent to a collector, held the token, the password and the account' => function () {
        // PHP 8.1 has no sensitive parameters.
        if (PHP_VERSION_ID < 80200) return;
        ini_set('zend.exception_ignore_args', '0');
        $logins = [['accessToken' => 'secret-1'], ['apiToken' => 'secret-1'], ['username' => 'ana', 'password' => 'secret-1']];
        $calls = array_map(static fn (array $login) => static function () use ($login) {
            $client = new RubricaClient('http://127.0.0.1:1', ...$login, sleep: fn () => null);
            $client->validateBankAccount(['rut' => 'secret-1']);
        }, $logins);
        $calls[] = static fn () => (new RubricaClient('http://127.0.0.1:1', 'svc-1', 'secret-1'))->createTransaction(['x_customer_email' => 'secret-1']);
        $calls[] = static fn () => new RubricaClient('http://ana:' . 'secret-1@127.0.0.1:1');
        foreach ($calls as $at => $call) {
            // Leave out this test's own frames, which contain the secret.
            $steps = array_filter(thrown(Exception::class, $call)->getTrace(), static fn ($step) => str_starts_with($step['class'] ?? '', 'Rubrica'));
            same(false, str_contains(print_r($steps, true), 'secret-1'), "call $at");
        }
    },
    'an address or a token that cannot work is refused at once' => function () {
        foreach (['pay.example.cl' => 'https://pay.example.cl', 'https://a:b@pay.example.cl' => 'login instead', 'https://pay.example.cl/?a=b' => 'follows', 'https://pay.example.cl/a b' => 'whole address', "https://pay.example.cl/\r\nX-A: b" => 'whole address'] as $url => $says) {
            $error = thrown(InvalidArgumentException::class, fn () => new RubricaClient($url));
            same(true, str_contains($error->getMessage(), $says), $error->getMessage());
        }
        thrown(InvalidArgumentException::class, fn () => (new RubricaClient('http://127.0.0.1:1', accessToken: "a\r\nb"))->getStatus(1));
        same(false, str_contains(print_r(new RubricaClient('http://127.0.0.1:1', 'svc', 'secret-1'), true), 'secret-1'));
    },
];
