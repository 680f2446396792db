<?php
// For shops without Composer: require 'autoload.php';
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Rubrica\\')) require __DIR__ . '/src/' . substr($class, 8) . '.php';
});
