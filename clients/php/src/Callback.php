<?php
declare(strict_types=1);

namespace Rubrica;

/** A genuine callback. It may be old or repeated: check the state of your order before you change it. */
final class Callback
{
    /** The reference of your order. */
    public readonly string $reference;
    /** A decimal number as text, such as `12990.00`. */
    public readonly string $amount;
    public readonly string $currency;
    /** `completed`, `failed` or `pending`. */
    public readonly string $result;
    public readonly string $message;
    /** `idTrx` of the transaction. */
    public readonly string $transactionId;
    /** The time of the event, not of the delivery: `2026-01-15T12:01:30.000Z`. */
    public readonly string $timestamp;
    public readonly bool $test;

    /**
     * @param array<string, string> $fields
     * @param string|null $webhookId the same for each repeat of this callback; null from the payer's browser
     * @param int|null $sequence counts the events of a transaction; a lower number than your last one is an older event
     */
    public function __construct(
        public readonly array $fields,
        public readonly ?string $webhookId,
        public readonly ?int $sequence,
    ) {
        $this->reference = $fields['x_reference'];
        $this->amount = $fields['x_amount'];
        $this->currency = $fields['x_currency'];
        $this->result = $fields['x_result'];
        $this->message = $fields['x_message'];
        $this->transactionId = $fields['x_gateway_reference'];
        $this->timestamp = $fields['x_timestamp'];
        $this->test = $fields['x_test'] === 'true';
    }

    /**
     * Checks that the callback is for your order with this amount: 12990 in CLP, '12.50' in USD. Floats are not
     * accepted: two floats that print alike may differ.
     *
     * @throws CallbackRefused
     */
    public function compareWith(int|string $amount, string $currency): void
    {
        if ($this->currency !== $currency) throw new CallbackRefused(Protocol::problem('CURRENCY_MISMATCH', 'x_currency'));
        if (self::plain($this->amount) !== self::plain(self::unambiguous((string) $amount, $currency))) {
            throw new CallbackRefused(Protocol::problem('AMOUNT_MISMATCH', 'x_amount'));
        }
    }

    /** Refuses an ambiguous amount: `1.000` in CLP is one to a program and a thousand to a person in Chile. */
    private static function unambiguous(string $amount, string $currency): string
    {
        $decimals = Protocol::decimalsOf($currency);
        if ($decimals === null || preg_match('/\A[0-9]+(?:\.([0-9]+))?\z/', $amount, $parts) !== 1) {
            throw new \InvalidArgumentException("The amount of your order, $amount $currency, is not an amount");
        }
        $fraction = $parts[1] ?? '';
        if (strlen($fraction) > $decimals && !in_array($fraction, ['0', '00'], true)) {
            throw new \InvalidArgumentException("The amount of your order, $amount $currency, could be read in two ways: it has $decimals decimals");
        }
        return $amount;
    }

    private static function plain(string $amount): string
    {
        $short = str_contains($amount, '.') ? rtrim(rtrim($amount, '0'), '.') : $amount;
        return ltrim($short, '0');
    }
}
