<?php
declare(strict_types=1);

namespace Rubrica;

/** The client of shops and their back offices. Every call throws `RubricaError` when the service refuses or does not answer. */
final class RubricaClient
{
    /** A token must not expire while a request is on its way. */
    private const MARGIN_SECONDS = 30;
    private const GRANTED = ['access_token_jwt', 'expires_in'];

    private readonly Connection $connection;
    private ?string $token = null;
    private float $tokenEnds = 0;

    /**
     * `$serviceToken` and `$secretToken` create transactions. All other calls need a user: an `$accessToken`, an
     * `$apiToken`, or `$username` and `$password`. The client gets and renews the access tokens of a login.
     *
     * @param float $timeout the most seconds of an attempt: to connect, and again until the last byte of the response
     * @param (\Closure(float): void)|null $sleep waits between attempts; for tests
     * @param float $patience the last attempt of a call begins at most so many seconds after the first; a few while a payer waits
     */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        private readonly ?string $serviceToken = null,
        #[\SensitiveParameter] private readonly ?string $secretToken = null,
        #[\SensitiveParameter] private readonly ?string $accessToken = null,
        #[\SensitiveParameter] private readonly ?string $apiToken = null,
        private readonly ?string $username = null,
        #[\SensitiveParameter] private readonly ?string $password = null,
        float $timeout = 10.0,
        ?\Closure $sleep = null,
        float $patience = INF,
    ) {
        $wait = $sleep ?? static function (float $seconds): void {
            usleep((int) ($seconds * 1_000_000));
        };
        $this->connection = new Connection($baseUrl, $timeout, $wait, $patience);
    }

    /** Limits a dump of this object to values that are not secret. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->connection->baseUrl];
    }

    /**
     * Creates a transaction. Send the payer to `payUrl[0]['url']`. `$order` has its fields without `x_account_id` and
     * `x_signature`. The same order again returns the same transaction.
     *
     * @param array<string, mixed> $order
     * @return array{idTrx: int, payUrl: list<array{name: string, code: string, url: string}>}
     * @throws SigningError for an order that must not be signed
     */
    public function createTransaction(#[\SensitiveParameter] array $order): array
    {
        if ($this->serviceToken === null || $this->secretToken === null) throw self::missing('a Service Token and a Secret Token');
        // A service without TLS is for development, where the shop may have no TLS either.
        $allowHttp = str_starts_with($this->connection->baseUrl, 'http:');
        $body = Signer::sign([...$order, 'x_account_id' => $this->serviceToken], $this->secretToken, $allowHttp);
        return $this->connection->send('POST', '/trxs', [], $body, holds: ['idTrx', 'payUrl']);
    }

    /** @return array<string, mixed> */
    public function getTransaction(int $idTrx): array
    {
        return $this->ask('GET', "/trxs/$idTrx", holds: ['idTrx']);
    }

    /** Returns `pending`, `complete` or `failed`. */
    public function getStatus(int $idTrx): string
    {
        return $this->ask('GET', "/v2/trxs/$idTrx/status", reads: ['data', 'status']);
    }

    /**
     * Refunds `$amount` of a payment, with the type `total` or `parcial`. Returns the token for `getRefundStatus`.
     * Store your own idempotency key with the refund, to retry after a crash. A refused refund throws `RubricaError`
     * with status 200 and a code such as `REFUND_WINDOW_CLOSED`.
     */
    public function createRefund(int $idTrx, int|float $amount, string $type, ?string $idempotencyKey = null): string
    {
        $headers = ['Idempotency-Key' => $idempotencyKey ?? self::newKey()];
        $body = ['amount' => $amount, 'type' => $type];
        return $this->ask('POST', "/trxs/$idTrx/nullification", $headers, $body, ['data', 'verificationToken']);
    }

    /** @return list<array<string, mixed>> */
    public function listRefunds(int $idTrx): array
    {
        return $this->ask('GET', "/trxs/$idTrx/nullification", reads: ['data', 'nullifications']);
    }

    public function getRefundStatus(int $idTrx, string $verificationToken): string
    {
        $query = http_build_query(['verificationToken' => $verificationToken]);
        return $this->ask('GET', "/trxs/$idTrx/nullification/status?$query", reads: ['data', 'status']);
    }

    /**
     * Returns the verdict and its checks. A `state` of `pending`: the provider is still checking, so call
     * `getValidation` later.
     *
     * @param array<string, mixed> $account
     * @return array<string, mixed>
     */
    public function validateBankAccount(#[\SensitiveParameter] array $account, ?string $language = null, ?string $idempotencyKey = null): array
    {
        $headers = ['Idempotency-Key' => $idempotencyKey ?? self::newKey()] + self::languageHeader($language);
        return $this->ask('POST', '/validations/BankAccount', $headers, $account, holds: ['id', 'state']);
    }

    /** @return array<string, mixed> */
    public function getValidation(string $id, ?string $language = null): array
    {
        return $this->ask('GET', '/validations/BankAccount/' . rawurlencode($id), self::languageHeader($language), holds: ['id', 'state']);
    }

    /**
     * Yields the pages of the feed after a cursor, or from the beginning, until the end of the feed. Store
     * `$page['next']` together with your results of the page, and continue from it.
     *
     * @return \Generator<int, array{events: list<array<string, mixed>>, next: string, has_more: bool}>
     */
    public function events(?string $after = null): \Generator
    {
        do {
            $query = $after === null ? '' : '?' . http_build_query(['after' => $after]);
            $page = $this->ask('GET', "/events$query", holds: ['events', 'next', 'has_more']);
            yield $page;
            $after = $page['next'];
        } while ($page['has_more']);
    }

    /**
     * Calls as a user. Renews a refused token once: it may end early, for example after a change of password. Its
     * refusal, or a failed login, does not prove that no earlier attempt was carried out.
     *
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $body
     * @param list<string> $reads
     * @param list<string> $holds
     */
    private function ask(
        string $method,
        string $path,
        array $headers = [],
        #[\SensitiveParameter] ?array $body = null,
        array $reads = ['data'],
        array $holds = [],
    ): mixed {
        $uncertain = null;
        $send = function (#[\SensitiveParameter] string $token) use ($method, $path, $headers, $body, $reads, $holds, &$uncertain): mixed {
            return $this->connection->send($method, $path, [...$headers, 'Authorization' => "Bearer $token"], $body, $reads, $holds, $uncertain);
        };
        try {
            return $send($this->currentToken());
        } catch (RubricaError $error) {
            if ($error->errorCode !== 'TOKEN_INVALID') throw $error;
            if ($this->accessToken !== null) throw $uncertain ?? $error;
        }
        $this->token = null;
        try {
            $token = $this->currentToken();
        } catch (RubricaError $error) {
            throw $uncertain ?? $error;
        }
        return $send($token);
    }

    private function currentToken(): string
    {
        if ($this->accessToken !== null) return $this->accessToken;
        if ($this->token === null || $this->tokenEnds < hrtime(true) / 1e9) {
            $start = hrtime(true) / 1e9;
            $granted = $this->login();
            $this->tokenEnds = $start + $granted['expires_in'] - self::MARGIN_SECONDS;
            $this->token = $granted['access_token_jwt'];
        }
        return $this->token;
    }

    /** @return array{access_token_jwt: string, expires_in: int} */
    private function login(): array
    {
        if ($this->apiToken !== null) return $this->connection->send('POST', '/loginToken', ['Authorization' => "Bearer $this->apiToken"], null, [], self::GRANTED);
        if ($this->username === null || $this->password === null) throw self::missing('an access token, an API token, or a user name and a password');
        $login = ['username' => $this->username, 'password' => $this->password];
        return $this->connection->send('POST', '/users/login', [], $login, holds: self::GRANTED);
    }

    /** @return array<string, string> */
    private static function languageHeader(?string $language): array
    {
        return $language === null ? [] : ['Accept-Language' => $language];
    }

    private static function newKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    private static function missing(string $what): \LogicException
    {
        return new \LogicException("Give RubricaClient $what for this");
    }
}
