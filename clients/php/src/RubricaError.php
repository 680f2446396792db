<?php
declare(strict_types=1);

namespace Rubrica;

/**
 * Why a call failed. The message names the request, what is wrong, and what to do. It holds no secret.
 *
 * `errorCode` is the service's own, with its page at `/errors/CODE`, or `NOT_SENT` (there was no connection: nothing was done),
 * `NO_ANSWER` (it was sent, and may have been done or not) or `UNREADABLE_ANSWER` (something else answered).
 */
final class RubricaError extends \RuntimeException
{
    /**
     * @param list<array<string, mixed>> $errors everything that is wrong with the request, each with its fix
     * @param string|null $requestId names the request in the log of the service
     * @param bool $retryable the same call may succeed later; it was repeated already where that was safe
     * @param float|null $retryAfter for how many seconds the service wishes to be left alone
     * @param string|null $idempotencyKey the call was sent with it: give it again, so that what may have been done is not done twice
     * @param array<string, mixed>|null $data answered beside the error: `$data['next']` of a cursor that counts no more is the one to go on with
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
