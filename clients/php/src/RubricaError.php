<?php
declare(strict_types=1);

namespace Rubrica;

/**
 * The failure of a call. The message names the request, the error and the fix. It holds no secret.
 *
 * `errorCode` is `NOT_SENT` (there was no connection, so nothing was done), `NO_ANSWER` (the request was sent and may
 * have been carried out), `UNREADABLE_ANSWER` (another server answered), or a code of the service with its page at
 * `/errors/CODE`.
 */
final class RubricaError extends \RuntimeException
{
    private const MOST_SAID = 10;

    /**
     * @param list<array<string, mixed>> $errors every error of the request, each with its fix
     * @param string|null $requestId the id of the request in the service's log
     * @param bool $retryable the same call may succeed later; it was already retried where that is safe
     * @param float|null $retryAfter the seconds that the service asks to wait
     * @param string|null $idempotencyKey the key that was sent; send it again, so that nothing is done twice
     * @param array<string, mixed>|null $data data beside the error; `$data['next']` replaces a refused feed cursor
     */
    public function __construct(
        public readonly string $errorCode,
        public readonly string $detail,
        public readonly string $request,
        public readonly ?int $status = null,
        public readonly array $errors = [],
        public readonly ?string $requestId = null,
        public readonly bool $retryable = false,
        public readonly ?float $retryAfter = null,
        public readonly ?string $idempotencyKey = null,
        public readonly ?array $data = null,
    ) {
        $answered = $status === null ? '' : " answered $status";
        $named = $requestId === null ? '' : ", request $requestId";
        parent::__construct(implode(' ', ["$errorCode: $detail", ...self::sayErrors($detail, $errors)]) . " ($request$answered$named)");
    }

    /**
     * Names each error with its fix, but nothing that the detail says already.
     *
     * @param list<array<string, mixed>> $errors
     * @return list<string>
     */
    private static function sayErrors(string $detail, array $errors): array
    {
        $texts = array_map(static function (array $error) use ($detail): string {
            [$message, $fix] = [(string) ($error['message'] ?? ''), (string) ($error['fix'] ?? '')];
            return str_contains($detail, $message) ? $fix : trim("$message $fix");
        }, $errors);
        $said = array_values(array_filter(array_unique($texts), static fn (string $text): bool => !str_contains($detail, $text)));
        $more = count($said) - self::MOST_SAID;
        return $more > 0 ? [...array_slice($said, 0, self::MOST_SAID), "And $more more in errors."] : $said;
    }
}
