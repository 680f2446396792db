<?php
declare(strict_types=1);

namespace Rubrica;

/** What the service and its clients have in common. protocol.json is written from the protocol of the service. */
final class Protocol
{
    public const SIGNATURE_FIELD = 'x_signature';

    /** @var array<string, mixed>|null */
    private static ?array $data = null;

    /** @return list<string> the ten fields of a request, all signed, in their order */
    public static function requestFields(): array
    {
        return self::data()['request_fields'];
    }

    /** @return list<string> the nine signed fields of a callback */
    public static function callbackFields(): array
    {
        return self::data()['callback_fields'];
    }

    /** @return list<string> objects that a request may carry, and nobody signs */
    public static function unsignedFields(): array
    {
        return self::data()['unsigned_fields'];
    }

    /** The name of a field that stands inside a text, or null. */
    public static function nameIn(string $text): ?string
    {
        $names = [...self::requestFields(), ...self::callbackFields(), ...self::unsignedFields(), self::SIGNATURE_FIELD];
        return preg_match('/' . implode('|', $names) . '/', $text, $found) === 1 ? $found[0] : null;
    }

    /** How many decimals a currency has; null for none of ISO 4217. */
    public static function decimalsOf(string $currency): ?int
    {
        return self::data()['currency_exponents'][$currency] ?? null;
    }

    /** Keyed apart from x_signature, so that neither signature can stand for the other. */
    public static function webhookKey(string $secret): string
    {
        return hash_hkdf('sha256', $secret, 32, self::data()['webhook_key_label']);
    }

    public static function problem(string $code, ?string $field, ?string $detail = null): Problem
    {
        [$what, $fix] = self::data()['problems'][$code];
        // Whole characters: half of one cannot be written as JSON.
        $shown = $field === null || preg_match('/\A.{0,64}/su', $field, $found) !== 1 ? $field : $found[0];
        $subject = $shown === null ? 'The body' : ($shown === '' ? 'The empty name' : $shown);
        return new Problem($code, $shown, "$subject $what" . ($detail === null ? '' : ": $detail") . '.', $fix);
    }

    /** @return array<string, mixed> */
    private static function data(): array
    {
        return self::$data ??= json_decode((string) file_get_contents(__DIR__ . '/protocol.json'), true, 8, JSON_THROW_ON_ERROR);
    }
}
