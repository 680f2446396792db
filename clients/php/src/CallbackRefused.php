<?php
declare(strict_types=1);

namespace Rubrica;

/** A callback that must not be acted on. Answer it with 400. */
final class CallbackRefused extends \RuntimeException
{
    public function __construct(public readonly Problem $problem)
    {
        parent::__construct((string) $problem);
    }
}
