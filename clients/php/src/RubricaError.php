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
        $fixes = array_unique(array_filter(array_column($errors, 'fix')));
        $answered = $status === null ? '' : " answered $status";
        $named = $requestId === null ? '' : ", request $requestId";
        parent::__construct(implode(' ', ["$errorCode: $detail", ...$fixes]) . " ($request$answered$named)");
    }
}
