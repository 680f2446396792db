<?php
declare(strict_types=1);

namespace Rubrica;

/** Verifies the callbacks of one payment service. */
final class CallbackVerifier
{
    private const MOST_FIELDS = 64;
    private const LONGEST_VALUE = 4096;
    private const MOST_SIGNATURES = 8;
    private const JSON = "it is JSON, and callbacks are posted as a form: give the body as it came, file_get_contents('php://input')";

    /** @var list<string> */
    private readonly array $secrets;

    /**
     * @param string $account your Service Token
     * @param string|list<string> $secrets the Secret Token; both of them during a rotation
     * @param bool $test true for development tokens: a completed test is not a payment
     */
    public function __construct(
        private readonly string $account,
        #[\SensitiveParameter] string|array $secrets,
        private readonly bool $test,
        private readonly int $toleranceSeconds = 300,
    ) {
        $this->secrets = array_values((array) $secrets);
        $wrong = array_filter($this->secrets, static fn ($secret) => !is_string($secret) || $secret === '');
        if ($wrong || !$this->secrets) throw new \InvalidArgumentException('Every Secret Token must be a text that is not empty');
    }

    /** Limits a dump of this object to values that are not secret. */
    public function __debugInfo(): array
    {
        return ['account' => $this->account, 'test' => $this->test];
    }

    /**
     * Verifies a callback and returns it. `$body` is the raw body (`php://input`, never `$_POST`). `$headers` are the
     * request's headers from `getallheaders()` or `$_SERVER`. `$now` is in Unix seconds, the current time by default.
     *
     * @param array<string, mixed> $headers
     * @throws CallbackRefused
     */
    public function verify(string $body, array $headers, ?int $now = null): Callback
    {
        $fields = $this->genuine($body);
        $found = self::readHeaders($headers);
        $this->checkHeaders($body, $found, $now ?? time());
        $this->checkAddressee($fields);
        $sequence = $found['rubrica-sequence'] ?? '';
        return new Callback($fields, $found['webhook-id'], preg_match('/\A[0-9]{1,15}\z/', $sequence) === 1 ? (int) $sequence : null);
    }

    /**
     * Verifies the same fields when the payer's browser posts them to `x_url_complete`. Use the result only for the
     * page that the payer sees; act on the callback.
     *
     * @throws CallbackRefused
     */
    public function verifyReturn(string $body): Callback
    {
        $fields = $this->genuine($body);
        $this->checkAddressee($fields);
        return new Callback($fields, null, null);
    }

    /**
     * Verifies the JSON event of a refund or a payout and returns it. `$body` is the raw body. The header `webhook-id`
     * is the same for each repeat.
     *
     * @param array<string, mixed> $headers
     * @return array<string, mixed>
     * @throws CallbackRefused
     */
    public function verifyNotice(string $body, array $headers, ?int $now = null): array
    {
        $this->checkHeaders($body, self::readHeaders($headers), $now ?? time());
        $notice = json_decode($body, true);
        // The same key signs the headers of callbacks, so a callback gets this far.
        if (!is_array($notice) || !str_starts_with($body, '{')) self::refuse('NOT_AN_OBJECT', null, 'it is a callback, for verify');
        return $notice;
    }

    /** @return array<string, string> */
    private function genuine(string $body): array
    {
        // Its signature would fail too, but that error would not name the cause.
        if (str_starts_with($body, '{')) self::refuse('WEBHOOK_SIGNATURE_INVALID', null, self::JSON);
        $received = self::readForm($body);
        $signature = $received[Protocol::SIGNATURE_FIELD] ?? null;
        unset($received[Protocol::SIGNATURE_FIELD]);
        [$values, $problems] = Signer::check($received, Protocol::callbackFields());
        if ($problems) throw new CallbackRefused($problems[0]);
        if ($signature === null) self::refuse('SIGNATURE_MISSING', Protocol::SIGNATURE_FIELD);
        if (!Signer::matches(Signer::message($values), $signature, $this->secrets)) self::refuse('SIGNATURE_INVALID', Protocol::SIGNATURE_FIELD);
        foreach (Grammar::ofCallback($values) as $fault) throw new CallbackRefused($fault);
        return $values;
    }

    /**
     * Verifies the headers of Standard Webhooks, so that a captured request cannot be replayed later.
     *
     * @param array<string, string> $headers
     */
    private function checkHeaders(string $body, array $headers, int $now): void
    {
        $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
        if (!array_intersect_key($headers, array_flip($names))) self::refuse('WEBHOOK_HEADERS_MISSING', null);
        [$id, $sentAt, $signatures] = array_map(static fn ($name) => $headers[$name] ?? '', $names);
        $received = array_slice(explode(' ', $signatures), 0, self::MOST_SIGNATURES);
        $matches = false;
        foreach ($this->secrets as $secret) {
            $digest = hash_hmac('sha256', "$id.$sentAt.$body", Protocol::webhookKey($secret), true);
            foreach ($received as $one) $matches = hash_equals('v1,' . base64_encode($digest), $one) || $matches;
        }
        if (!$matches || $id === '') self::refuse('WEBHOOK_SIGNATURE_INVALID', null);
        if (preg_match('/\A[0-9]{1,12}\z/', $sentAt) !== 1 || abs($now - (int) $sentAt) > $this->toleranceSeconds) {
            self::refuse('WEBHOOK_TIME_REFUSED', null);
        }
    }

    /** @param array<string, string> $fields */
    private function checkAddressee(array $fields): void
    {
        if (!hash_equals($this->account, $fields['x_account_id'])) self::refuse('ACCOUNT_MISMATCH', 'x_account_id');
        if ($fields['x_test'] !== ($this->test ? 'true' : 'false')) self::refuse('TEST_MISMATCH', 'x_test');
    }

    /**
     * @param array<string, mixed> $headers
     * @return array<string, string> by name in lower case
     */
    private static function readHeaders(array $headers): array
    {
        $found = [];
        foreach ($headers as $name => $value) {
            // `$_SERVER` has Webhook-Id as HTTP_WEBHOOK_ID.
            $plain = strtolower(str_replace('_', '-', preg_replace('/\AHTTP_/', '', (string) $name)));
            if (is_string($value)) $found[$plain] = $value;
        }
        return $found;
    }

    /**
     * Parses the form and refuses repeated names. Lenient parsers such as `parse_str` give two bodies one meaning.
     *
     * @return array<array-key, string>
     */
    private static function readForm(string $body): array
    {
        self::requireUtf8($body, null);
        $fields = [];
        foreach (explode('&', $body) as $pair) {
            if ($pair === '') continue;
            [$name, $value] = explode('=', $pair, 2) + [1 => ''];
            $name = self::unescape($name, null);
            if (array_key_exists($name, $fields)) self::refuse('DUPLICATE_KEY', $name);
            if (count($fields) === self::MOST_FIELDS) self::refuse('TOO_MANY_FIELDS', null);
            $fields[$name] = self::unescape($value, $name);
        }
        return $fields;
    }

    private static function unescape(string $text, ?string $name): string
    {
        if (preg_match('/%(?![0-9A-Fa-f]{2})/', $text) === 1) self::refuse('INVALID_ENCODING', $name, 'a percent escape is wrong');
        $value = urldecode($text);
        self::requireUtf8($value, $name);
        if (preg_match_all('/./su', $value) > self::LONGEST_VALUE) self::refuse('FIELD_TOO_LONG', $name);
        if (preg_match('/[\x{0}-\x{1f}\x{7f}-\x{9f}\x{2028}\x{2029}]/u', $value) === 1) self::refuse('CONTROL_CHARACTER', $name);
        return $value;
    }

    private static function requireUtf8(string $text, ?string $name): void
    {
        if (preg_match('//u', $text) !== 1) self::refuse('INVALID_ENCODING', $name, 'these bytes are not UTF-8');
    }

    private static function refuse(string $code, ?string $field, ?string $detail = null): never
    {
        throw new CallbackRefused(Protocol::problem($code, $field, $detail));
    }
}
