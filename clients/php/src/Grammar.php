<?php
declare(strict_types=1);

namespace Rubrica;

/** Checks the form of every value, so that errors are found before the request. The service checks it too. */
final class Grammar
{
    private const ACCOUNT_ID = '/\A[!-~]+\z/';
    private const COUNTRY = '/\A[A-Za-z]{2}\z/';
    private const LATIN_TEXT = '/\A[\x{21}-\x{7e}\x{a1}-\x{ac}\x{ae}-\x{ff}]+(?: +[\x{21}-\x{7e}\x{a1}-\x{ac}\x{ae}-\x{ff}]+)*\z/u';
    private const UTC_TIME = '/\A([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?Z\z/';
    private const LOCAL_WORD = '[A-Za-z0-9!#$%&\'*+\/=?^_`{|}~-]+';
    private const EMAIL = '/\A(?=[^@]{1,64}@)' . self::LOCAL_WORD . '(?:\.' . self::LOCAL_WORD . ')*'
        . '@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[xX][nN]--[A-Za-z0-9-]{1,59})\z/';
    private const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
    // URLs that every parser leaves unchanged: lower-case host, no user, no fragment, no character that needs escaping.
    private const URL = '~\A(https?)://(' . self::LABEL . '(?:\.' . self::LABEL . ')*|\[[0-9a-f:]+\])(:[1-9][0-9]{0,4})?'
        . '(/[!$-;=@-\[\]_a-z|\~]*)?(\?[!$-&(-;=?-\~]*)?\z~';
    private const DOT_SEGMENT = '~/(?:\.|%2e){1,2}(?:/|\z)~i';
    private const BYTE = '(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])';

    /**
     * @param array<string, string> $values
     * @return list<Problem>
     */
    public static function ofRequest(array $values, bool $allowHttp): array
    {
        return array_values(array_filter([
            self::form($values, 'x_account_id', self::ACCOUNT_ID, 100, 'INVALID_ACCOUNT_ID'),
            ...self::money($values),
            self::form($values, 'x_customer_email', self::EMAIL, 254, 'INVALID_EMAIL'),
            self::form($values, 'x_reference', self::LATIN_TEXT, 100, 'INVALID_REFERENCE'),
            strlen($values['x_session_id']) < 5
                ? Protocol::problem('INVALID_SESSION_ID', 'x_session_id')
                : self::form($values, 'x_session_id', self::LATIN_TEXT, 100, 'INVALID_SESSION_ID'),
            preg_match(self::COUNTRY, $values['x_shop_country']) === 1 ? null : Protocol::problem('INVALID_COUNTRY', 'x_shop_country'),
            self::url($values, 'x_url_callback', $allowHttp),
            self::url($values, 'x_url_cancel', $allowHttp),
            self::url($values, 'x_url_complete', $allowHttp),
        ]));
    }

    /**
     * @param array<string, string> $values
     * @return list<Problem>
     */
    public static function ofCallback(array $values): array
    {
        $isResult = in_array($values['x_result'], ['completed', 'failed', 'pending'], true);
        $isTest = in_array($values['x_test'], ['true', 'false'], true);
        return array_values(array_filter([
            self::form($values, 'x_account_id', self::ACCOUNT_ID, 100, 'INVALID_ACCOUNT_ID'),
            ...self::money($values),
            self::form($values, 'x_reference', self::LATIN_TEXT, 100, 'INVALID_REFERENCE'),
            $isResult ? null : Protocol::problem('INVALID_RESULT', 'x_result'),
            $isTest ? null : Protocol::problem('INVALID_TEST', 'x_test'),
            self::isTime($values['x_timestamp']) ? null : Protocol::problem('INVALID_TIMESTAMP', 'x_timestamp'),
        ]));
    }

    /** Returns whether a text is an amount above zero, with at most min(2, $decimals) decimals; max(2, $decimals) if all are zeros. */
    public static function isAmount(string $text, int $decimals): bool
    {
        if (preg_match('/\A(?:0|[1-9][0-9]{0,10})(?:\.([0-9]+))?\z/', $text, $parts) !== 1 || trim($text, '0.') === '') return false;
        $fraction = $parts[1] ?? '';
        return strlen($fraction) <= (trim($fraction, '0') === '' ? max(2, $decimals) : min(2, $decimals));
    }

    /**
     * @param array<string, string> $values
     * @return list<Problem|null>
     */
    private static function money(array $values): array
    {
        $decimals = Protocol::decimalsOf($values['x_currency']);
        // Without a known currency, allow two decimals, so that one call reports both errors.
        return [
            $decimals === null ? Protocol::problem('INVALID_CURRENCY', 'x_currency') : null,
            self::isAmount($values['x_amount'], $decimals ?? 2) ? null : Protocol::problem('INVALID_AMOUNT', 'x_amount'),
        ];
    }

    /** @param array<string, string> $values */
    private static function form(array $values, string $name, string $form, int $longest, string $code): ?Problem
    {
        // Invalid UTF-8 has no characters to count, and does not match the form either.
        if (preg_match_all('/./su', $values[$name]) > $longest) return Protocol::problem('FIELD_TOO_LONG', $name);
        return preg_match($form, $values[$name]) === 1 ? null : Protocol::problem($code, $name);
    }

    /** @param array<string, string> $values */
    private static function url(array $values, string $name, bool $allowHttp): ?Problem
    {
        $url = $values[$name];
        if (strlen($url) > 2048) return Protocol::problem('FIELD_TOO_LONG', $name);
        // A path is completed with the origin of `x_url_complete`.
        if ($name === 'x_url_cancel' && preg_match('~\A/(?!/)~', $url) === 1) {
            $url = implode('/', array_slice(explode('/', $values['x_url_complete']), 0, 3)) . $url;
        }
        return self::isPlainUrl($url, $allowHttp) ? null : Protocol::problem('INVALID_URL', $name);
    }

    private static function isPlainUrl(string $text, bool $allowHttp): bool
    {
        if (preg_match(self::URL, $text, $parts) !== 1 || preg_match(self::DOT_SEGMENT, $parts[4] ?? '') === 1) return false;
        [, $scheme, $host] = $parts;
        $port = (int) substr($parts[3] ?? '', 1);
        if ($port === ($scheme === 'https' ? 443 : 80) || $port > 65535 || strlen($host) > 253) return false;
        $isIpv4 = preg_match('/\A' . self::BYTE . '(?:\.' . self::BYTE . '){3}\z/', $host) === 1;
        if (preg_match('/(?:\A|\.)(?:[0-9]+|0x[0-9a-f]*)\z/', $host) === 1 && !$isIpv4) return false;
        return $allowHttp || ($scheme === 'https' && ($host[0] === '[' || str_contains($host, '.')));
    }

    private static function isTime(string $text): bool
    {
        if (preg_match(self::UTC_TIME, $text, $parts) !== 1) return false;
        [, $year, $month, $day, $hour, $minute, $second] = array_map('intval', $parts);
        return checkdate($month, $day, $year) && $hour < 24 && $minute < 60 && $second < 60;
    }
}
