<?php
declare(strict_types=1);

namespace Rubrica;

/** One error. `message` and `fix` never contain a value, so they are safe to show. */
final class Problem
{
    public function __construct(
        public readonly string $code,
        public readonly ?string $field,
        public readonly string $message,
        public readonly string $fix,
    ) {
    }

    public function __toString(): string
    {
        return "$this->code: $this->message $this->fix";
    }
}
