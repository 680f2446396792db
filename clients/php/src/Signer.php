<?php
declare(strict_types=1);

namespace Rubrica;

/**
 * Signs with HMAC-SHA256 over the names and values of the fields, ordered by name, without separators.
 *
 * Without separators, two different orders could have the same signature. So an order is checked before it is signed:
 * exactly the ten fields, text only, and no value that contains a field name.
 */
final class Signer
{
    private const NUMERIC = ['x_amount', 'x_reference'];
    private const LARGEST_INTEGER = 2 ** 53 - 1;

    /**
     * Returns the complete body. Send it as JSON, unchanged, from your server. The amount and the reference may be
     * integers. `$allowHttp` allows `http://localhost` addresses, for development.
     *
     * @param array<string, mixed> $order
     * @return array<string, mixed>
     * @throws SigningError with every error
     */
    public static function sign(#[\SensitiveParameter] array $order, #[\SensitiveParameter] string $secret, bool $allowHttp = false): array
    {
        self::requireSecret($secret);
        unset($order[Protocol::SIGNATURE_FIELD]);
        [$values, $problems] = self::check($order, Protocol::requestFields(), Protocol::unsignedFields(), self::NUMERIC);
        $problems = $problems ?: Grammar::ofRequest($values, $allowHttp);
        if ($problems) throw new SigningError($problems);
        $signature = self::signatureOf(self::message($values), $secret);
        return [...$order, ...$values, Protocol::SIGNATURE_FIELD => $signature];
    }

    /**
     * Returns the text to sign. It identifies one order only if the fields follow the rules.
     *
     * @param array<array-key, mixed> $fields
     */
    public static function message(array $fields): string
    {
        uksort($fields, static fn ($one, $other) => strcmp((string) $one, (string) $other));
        $message = '';
        foreach ($fields as $name => $value) {
            $isSigned = str_starts_with((string) $name, 'x_') && $name !== Protocol::SIGNATURE_FIELD;
            if ($isSigned && $value !== null && !is_array($value) && !is_object($value)) $message .= $name . self::textOf($value);
        }
        return $message;
    }

    /** Returns 64 lower-case hexadecimal digits. The secret is used as text, even if it looks like hexadecimal. */
    public static function signatureOf(string $message, #[\SensitiveParameter] string $secret): string
    {
        self::requireSecret($secret);
        return hash_hmac('sha256', $message, $secret);
    }

    /** @param list<string> $secrets */
    public static function matches(string $message, string $signature, #[\SensitiveParameter] array $secrets): bool
    {
        if (preg_match('/\A[0-9a-f]{64}\z/', $signature) !== 1) return false;
        $found = false;
        foreach ($secrets as $secret) $found = hash_equals(self::signatureOf($message, $secret), $signature) || $found;
        return $found;
    }

    /**
     * Returns the text of every signed field, and every problem that would make the signature ambiguous.
     *
     * @param array<array-key, mixed> $fields
     * @param list<string> $signed
     * @param list<string> $unsigned
     * @param list<string> $numeric
     * @return array{array<string, string>, list<Problem>}
     */
    public static function check(array $fields, array $signed, array $unsigned = [], array $numeric = []): array
    {
        $values = [];
        $problems = [];
        foreach ($fields as $key => $value) {
            $name = (string) $key;
            $isSigned = in_array($name, $signed, true);
            $fault = match (true) {
                $isSigned => self::faultOf($name, $value, in_array($name, $numeric, true)),
                !in_array($name, $unsigned, true) => Protocol::problem('UNKNOWN_FIELD', $name),
                default => is_array($value) || is_object($value) ? null : Protocol::problem('INVALID_TYPE', $name),
            };
            if ($fault !== null) $problems[] = $fault;
            elseif ($isSigned) $values[$name] = (string) $value;
        }
        foreach ($signed as $name) {
            if (!array_key_exists($name, $fields)) $problems[] = Protocol::problem('MISSING_FIELD', $name);
        }
        return [$values, $problems];
    }

    private static function faultOf(string $name, mixed $value, bool $mayBeNumber): ?Problem
    {
        // Floats are refused: one float can be printed as two texts.
        if ($mayBeNumber && is_int($value) && abs($value) <= self::LARGEST_INTEGER) return null;
        if (!is_string($value)) return Protocol::problem('INVALID_TYPE', $name);
        if ($value === '') return Protocol::problem('EMPTY_FIELD', $name);
        $contained = Protocol::nameIn($value);
        return $contained === null ? null : Protocol::problem('AMBIGUOUS_FIELD', $name, $contained);
    }

    private static function textOf(mixed $value): string
    {
        if (is_bool($value)) return $value ? 'true' : 'false';
        if (is_float($value)) throw new \TypeError('A float is printed in several ways: sign an integer or a text');
        return (string) $value;
    }

    private static function requireSecret(#[\SensitiveParameter] string $secret): void
    {
        if ($secret === '') throw new \InvalidArgumentException('The Secret Token must not be empty');
    }
}
