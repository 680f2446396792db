<?php
declare(strict_types=1);

namespace Rubrica;

/** Sends requests, and retries those that are safe to repeat. It needs no PHP extension, except openssl for https. */
final class Connection
{
    private const MOST_ATTEMPTS = 4;
    private const FIRST_WAIT = 0.5;
    private const LONGEST_WAIT = 30.0;
    /** Messages of PHP when the connection failed, each with its fix. */
    private const NOT_SENT = [
        '/stream_socket_client|socket transport/' => 'Take stream_socket_client out of disable_functions in php.ini, and load the extension openssl for https.',
        '/getaddrinfo|Name or service not known/' => 'Check the host of the base URL, and the name servers.',
        '/wrong version number|packet length too long/' => 'The port does not answer with TLS: check the port of the base URL, or write http: for a service in development.',
        '/Failed to enable crypto/' => 'Check the certificate of the service, and openssl.cafile for one that your company issued.',
        '/Connection refused|actively refused/' => 'Check that the service runs, and the host and port of the base URL.',
        '/Connection timed out|No route to host|Network is unreachable/' => 'Check the host and port of the base URL, and the firewalls on the way.',
    ];

    public readonly string $baseUrl;

    /**
     * @param \Closure(float): void $sleep waits for a number of seconds
     * @param float $patience the last attempt of a call begins at most so many seconds after the first
     */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        private readonly float $timeout,
        private readonly \Closure $sleep,
        private readonly float $patience,
    ) {
        $this->baseUrl = self::readBaseUrl($baseUrl);
    }

    /**
     * Returns the value at the path `$reads` of a good response. The value must have every member in `$holds`. Retries
     * up to three times while a retry may help, so use it only for calls that may run twice.
     *
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $body
     * @param list<string> $reads
     * @param list<string> $holds
     * @param RubricaError|null $uncertain the last error after which the call may have been carried out, also of earlier calls of this method
     * @throws RubricaError
     */
    public function send(
        string $method,
        string $path,
        #[\SensitiveParameter] array $headers = [],
        #[\SensitiveParameter] ?array $body = null,
        array $reads = ['data'],
        array $holds = [],
        ?RubricaError &$uncertain = null,
    ): mixed {
        $content = $body === null ? null : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $start = hrtime(true) / 1e9;
        for ($failures = 1; ; $failures += 1) {
            try {
                return $this->sendOnce($method, $path, $headers, $content, $reads, $holds);
            } catch (RubricaError $error) {
                // The last attempt may be unsent, rate-limited or answered by a proxy: that does not prove that no
                // earlier one was done.
                $saysNothing = in_array($error->errorCode, ['NOT_SENT', 'UNREADABLE_ANSWER'], true) || $error->status === 429;
                $mayBeDone = $error->errorCode === 'NO_ANSWER' || $error->status >= 500;
                // After a call without a response, a proxy's response adds no information.
                if ($mayBeDone && $uncertain?->errorCode !== 'NO_ANSWER') $uncertain = $error;
                $wait = ($error->retryAfter ?? 0) + self::FIRST_WAIT * 2 ** ($failures - 1) * random_int(50, 100) / 100;
                $isLate = $wait > self::LONGEST_WAIT || hrtime(true) / 1e9 - $start + $wait > $this->patience;
                if (!$error->retryable || $isLate || $failures === self::MOST_ATTEMPTS) {
                    throw $saysNothing ? $uncertain ?? $error : $error;
                }
                ($this->sleep)($wait);
            }
        }
    }

    /**
     * @param array<string, string> $headers
     * @param list<string> $reads
     * @param list<string> $holds
     */
    private function sendOnce(
        string $method,
        string $path,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $content,
        array $reads,
        array $holds,
    ): mixed {
        $request = "$method $this->baseUrl" . strtok($path, '?');
        $key = $headers['Idempotency-Key'] ?? null;
        [$status, $received, $text] = $this->exchange($request, $method, $path, $headers, $content);
        $reply = json_decode($text, true);
        $isGood = $status >= 200 && $status < 300;
        $value = $isGood && is_array($reply) ? $reply : null;
        foreach ($reads as $name) $value = is_array($value) ? $value[$name] ?? null : null;
        $missing = array_filter($holds, static fn ($name) => !is_array($value) || !isset($value[$name]));
        if ($value !== null && !$missing) return $value;
        // PHP does not report that a chunked response, as proxies send it, is incomplete.
        if ($isGood && $reply === null && ($text === '' || $text[0] === '{')) throw self::failure($request, 'the answer was cut off', $key);
        throw self::refusal($request, $status, $received, is_array($reply) ? $reply : [], $key);
    }

    /**
     * @param array<string, string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function exchange(
        string $request,
        string $method,
        string $path,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] ?string $content,
    ): array {
        if ($content !== null) $headers['Content-Type'] = 'application/json';
        $url = parse_url($this->baseUrl);
        $host = $url['host'] . (isset($url['port']) ? ":{$url['port']}" : '');
        $lines = ["$method " . ($url['path'] ?? '') . "$path HTTP/1.1", "Host: $host", 'Connection: close'];
        if ($method !== 'GET') $lines[] = 'Content-Length: ' . strlen((string) $content);
        foreach ($headers as $name => $value) {
            if (preg_match('/\A[\t -~]*\z/', $value) !== 1) throw new \InvalidArgumentException("What is to be sent as $name holds a line break or another such character");
            $lines[] = "$name: $value";
        }
        $key = $headers['Idempotency-Key'] ?? null;
        $socket = $this->connect($request, $key);
        $deadline = hrtime(true) / 1e9 + $this->timeout;
        // Silence PHP's warnings: the response shows what failed.
        set_error_handler(static fn (): bool => true);
        try {
            stream_set_timeout($socket, (int) ceil($this->timeout));
            fwrite($socket, implode("\r\n", $lines) . "\r\n\r\n" . $content);
            $answer = self::readAll($socket, $deadline);
            fclose($socket);
        } finally {
            restore_error_handler();
        }
        if ($answer === null) throw self::failure($request, "none within $this->timeout s", $key);
        // Skip 1xx responses, which some proxies send first.
        do [$head, $answer] = explode("\r\n\r\n", $answer, 2) + [1 => ''];
        while (preg_match('~\AHTTP/1\.[01] 1\d\d ~', $head) === 1);
        [$status, $received] = self::readHead(explode("\r\n", $head));
        if ($status === 0) throw self::failure($request, 'the connection was closed, or no HTTP was spoken', $key);
        $text = strtolower($received['transfer-encoding'] ?? '') === 'chunked' ? self::dechunk($answer) : $answer;
        $isCut = isset($received['content-length']) && strlen($text) < (int) $received['content-length'];
        if ($isCut) throw self::failure($request, 'the answer was cut off', $key);
        return [$status, $received, $text];
    }

    /** @return resource */
    private function connect(string $request, ?string $key): mixed
    {
        $url = parse_url($this->baseUrl);
        [$transport, $port] = $url['scheme'] === 'https' ? ['tls', 443] : ['tcp', 80];
        $address = "$transport://{$url['host']}:" . ($url['port'] ?? $port);
        $said = [];
        set_error_handler(static function (int $_, string $message) use (&$said): bool {
            $said[] = preg_replace('/\A\w+\([^)]*\): /', '', $message);
            return true;
        });
        try {
            // Some hosts disable this function, and calling it would end PHP.
            $isThere = function_exists('stream_socket_client');
            $socket = $isThere ? stream_socket_client($address, $_, $error, $this->timeout) : false;
        } finally {
            restore_error_handler();
        }
        if ($socket !== false) return $socket;
        $why = $isThere ? ($error ?: implode('; ', $said)) : 'stream_socket_client is disabled';
        $fixes = array_filter(self::NOT_SENT, static fn ($pattern) => preg_match($pattern, $why) === 1, ARRAY_FILTER_USE_KEY);
        $fix = reset($fixes) ?: 'Check that the service runs, and the base URL.';
        throw new RubricaError('NOT_SENT', "There was no connection ($why), so nothing was sent. $fix", $request, retryable: true, idempotencyKey: $key);
    }

    /**
     * Reads until the answer is complete or the connection is closed. Returns null when the deadline passes, also if bytes still arrive.
     *
     * @param resource $socket
     */
    private static function readAll(mixed $socket, float $deadline): ?string
    {
        stream_set_blocking($socket, false);
        $text = '';
        while (!feof($socket) && !self::isWhole($text)) {
            $left = $deadline - hrtime(true) / 1e9;
            if ($left <= 0) return null;
            $ready = [$socket];
            $none = null;
            stream_select($ready, $none, $none, (int) $left, (int) (fmod($left, 1) * 1e6));
            $text .= fread($socket, 65536);
        }
        return $text;
    }

    /** Whether the answer is complete by its status, its last chunk or its length: a proxy may leave the connection open. */
    private static function isWhole(string $text): bool
    {
        $final = preg_replace('~\A(?:HTTP/1\.[01] 1\d\d .*?\r\n\r\n)+~s', '', $text);
        [$head, $body] = explode("\r\n\r\n", $final, 2) + [1 => null];
        if ($body === null) return false;
        if (preg_match('~\AHTTP/1\.[01] [23]04 ~', $head) === 1) return true;
        // Where a response has both, its length is ignored (RFC 9112, 6.3).
        if (preg_match('/^transfer-encoding:[ \t]*chunked/mi', $head) === 1) return self::hasLastChunk($body);
        return preg_match('/^content-length:[ \t]*(\d+)/mi', $head, $length) === 1 && strlen($body) >= (int) $length[1];
    }

    /** Goes from chunk to chunk, because the data of one may look like the last chunk. Trailers may follow the last one. */
    private static function hasLastChunk(string $body): bool
    {
        for ($at = 0; preg_match('/\G0*([0-9a-f]{1,7})\b[^\r\n]*\r\n/i', $body, $size, 0, $at) === 1; $at += hexdec($size[1]) + 2) {
            $at += strlen($size[0]);
            if (hexdec($size[1]) === 0) return preg_match('/\G(?:[^\r\n]+\r\n)*\r\n/', $body, $_, 0, $at) === 1;
        }
        return false;
    }

    private static function dechunk(string $chunks): string
    {
        $memory = fopen('php://temp', 'w+');
        fwrite($memory, $chunks);
        rewind($memory);
        stream_filter_append($memory, 'dechunk', STREAM_FILTER_READ);
        return (string) stream_get_contents($memory);
    }

    /**
     * @param list<string> $lines
     * @return array{int, array<string, string>}
     */
    private static function readHead(array $lines): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            if (preg_match('~\AHTTP/\S+ (\d{3})~', $line, $parts) === 1) [$status, $headers] = [(int) $parts[1], []];
            elseif (str_contains($line, ':')) $headers[strtolower(trim(strtok($line, ':')))] = trim(substr($line, strpos($line, ':') + 1));
        }
        return [$status, $headers];
    }

    private static function failure(string $request, string $said, ?string $key): RubricaError
    {
        $next = $key === null ? 'Ask what became of it, or call again with the same reference.' : "Call again with the idempotency key $key.";
        $detail = "It may have been done or not (no answer: $said). $next";
        return new RubricaError('NO_ANSWER', $detail, $request, retryable: true, idempotencyKey: $key);
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed> $reply
     */
    private static function refusal(string $request, int $status, array $headers, array $reply, ?string $key): RubricaError
    {
        $unreadable = "Something else than the service answered, with status $status. Check the base URL and the proxies.";
        $told = match (true) {
            self::isProblem($reply) => $reply,
            $status === 200 && self::isRefusedRefund($reply) => ['code' => $reply['code'], 'detail' => $reply['message']],
            default => ['code' => 'UNREADABLE_ANSWER', 'detail' => $unreadable],
        };
        $data = is_array($told['data'] ?? null) ? $told['data'] : null;
        // A retry cannot help: the operator must configure a payment method.
        $retryable = ($status === 429 || $status >= 500) && $told['code'] !== 'NO_PAYMENT_METHOD';
        $asked = $headers['retry-after'] ?? '';
        $retryAfter = match (true) {
            $asked === '' => null,
            ctype_digit($asked) => (float) $asked,
            default => strtotime($asked) === false ? null : max(0.0, (float) (strtotime($asked) - time())),
        };
        return new RubricaError($told['code'], $told['detail'], $request, $status, $told['errors'] ?? [], $told['request_id'] ?? null, $retryable, $retryAfter, $key, $data);
    }

    /**
     * Returns whether a refund was refused. The service then responds with status 200, a code and `data: null`; a
     * gateway's response has no `data: null`.
     *
     * @param array<string, mixed> $reply
     */
    private static function isRefusedRefund(array $reply): bool
    {
        return is_string($reply['code'] ?? null) && is_string($reply['message'] ?? null) && array_key_exists('data', $reply) && $reply['data'] === null;
    }

    /**
     * Checks the whole shape, because a gateway's errors may also have a code and a detail.
     *
     * @param array<array-key, mixed> $reply
     */
    private static function isProblem(array $reply): bool
    {
        $errors = $reply['errors'] ?? [];
        $isList = is_array($errors) && array_filter($errors, is_array(...)) === $errors;
        $id = $reply['request_id'] ?? '';
        return is_string($reply['code'] ?? null) && is_string($reply['detail'] ?? null) && is_string($id) && $isList;
    }

    private static function readBaseUrl(#[\SensitiveParameter] string $text): string
    {
        if (str_contains($text, '@')) throw new \InvalidArgumentException('The base URL holds a user or a password: give RubricaClient a login instead');
        $url = parse_url($text);
        if (preg_match('/\A[!-~]+\z/', $text) !== 1 || !is_array($url) || !in_array($url['scheme'] ?? '', ['http', 'https'], true) || ($url['host'] ?? '') === '') {
            // Suggest http only for a service on this machine.
            $scheme = preg_match('~\A(?:localhost|127\.)~', $text) === 1 ? 'http' : 'https';
            $example = preg_match('~\A[\w.-]+(?::\d+)?(?:/|\z)~', $text) === 1 ? "$scheme://$text" : 'https://pay.example.cl';
            throw new \InvalidArgumentException("The base URL is '$text': write the whole address, with its scheme, such as $example");
        }
        if (isset($url['query']) || isset($url['fragment'])) throw new \InvalidArgumentException('The base URL has a query or a fragment: leave out what follows the path');
        return rtrim($text, '/');
    }
}
