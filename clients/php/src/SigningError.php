<?php
declare(strict_types=1);

namespace Rubrica;

/** Thrown for an order that must not be signed. */
final class SigningError extends \InvalidArgumentException
{
    /** @param non-empty-list<Problem> $problems every error */
    public function __construct(public readonly array $problems)
    {
        parent::__construct(implode(' ', array_map('strval', $problems)));
    }
}
