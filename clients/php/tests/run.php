<?php
// Runs every test of this folder:  php tests/run.php [WORD IN THE NAME]
// Exits with status 1 if a test fails. With RUBRICA_URL, it also tests against that running service.
declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(static fn (int $_, string $message, string $file, int $line) => throw new ErrorException($message, 0, 1, $file, $line));
require __DIR__ . '/../autoload.php';

function same(mixed $expected, mixed $actual, string $what = ''): void
{
    if ($expected !== $actual) throw new Exception(trim("$what expected " . var_export($expected, true) . ', not ' . var_export($actual, true)));
}

/** Runs a function and returns what it throws. */
function thrown(string $class, callable $call): Throwable
{
    try {
        $call();
    } catch (Throwable $error) {
        if ($error instanceof $class) return $error;
        throw $error;
    }
    throw new Exception("$class was not thrown");
}

[$passed, $failed] = [0, 0];
$files = array_map(static fn (string $file) => require $file, glob(__DIR__ . '/*_test.php'));
foreach ($files as $tests) {
    foreach ($tests as $name => $test) {
        if (!str_contains($name, $argv[1] ?? '')) continue;
        try {
            $test();
            $passed += 1;
        } catch (Throwable $error) {
            $failed += 1;
            echo "failed: $name\n  {$error->getMessage()}\n  {$error->getFile()}:{$error->getLine()}\n";
            foreach ($error->getTrace() as $step) if (str_contains($step['file'] ?? '', '_test.php')) echo "  {$step['file']}:{$step['line']}\n";
        }
    }
}
echo "$passed passed, $failed failed\n";
exit($failed > 0 || $passed === 0 ? 1 : 0);
