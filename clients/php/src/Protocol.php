<?php
declare(strict_types=1);

namespace Rubrica;

/** The protocol that the service and its clients share. protocol.json is generated from the service's protocol. */
final class Protocol
{
    public const SIGNATURE_FIELD = 'x_signature';

    /** @var array<string, mixed>|null */
    private static ?array $data = null;

    /** @return list<string> the ten fields of a request, all signed, in order */
    public static function requestFields(): array
    {
        return self::data()['request_fields'];
    }

    /** @return list<string> the nine signed fields of a callback */
    public static function callbackFields(): array
    {
        return self::data()['callback_fields'];
    }

    /** @return list<string> the objects that a request may carry unsigned */
    public static function unsignedFields(): array
    {
        return self::data()['unsigned_fields'];
    }

    /** Returns a field name that the text contains, or null. */
    public static function nameIn(string $text): ?string
    {
        $names = [...self::requestFields(), ...self::callbackFields(), ...self::unsignedFields(), self::SIGNATURE_FIELD];
        return preg_match('/' . implode('|', $names) . '/', $text, $found) === 1 ? $found[0] : null;
    }

    /** Returns the number of decimals of a currency; null if ISO 4217 does not list it. */
    public static function decimalsOf(string $currency): ?int
    {
        return self::data()['currency_exponents'][$currency] ?? null;
    }

    /** Returns a key that differs from the key of x_signature, so that neither signature can replace the other. */
    public static function webhookKey(string $secret): string
    {
        return hash_hkdf('sha256', $secret, 32, self::data()['webhook_key_label']);
    }

    public static function problem(string $code, ?string $field, ?string $detail = null): Problem
    {
        [$what, $fix] = self::data()['problems'][$code];
        // Cut between characters: JSON cannot hold half of one.
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
