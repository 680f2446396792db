<?php
declare(strict_types=1);

namespace Rubrica;

/** Thrown for a callback that must not be acted on. Respond with 400. */
final class CallbackRefused extends \RuntimeException
{
    public function __construct(public readonly Problem $problem)
    {
        parent::__construct((string) $problem);
    }
}
