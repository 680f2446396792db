<?php
/**
 * Plugin Name: Rúbrica for WooCommerce
 * Description: Payments by the Rúbrica payment service.
 * Version: 0.1.0
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * License: Apache-2.0
 * Text Domain: rubrica-woocommerce
 */
declare(strict_types=1);

defined('ABSPATH') || exit;

// A release contains the PHP package. In the repository it is in a folder beside this one.
require is_file(__DIR__ . '/rubrica/autoload.php') ? __DIR__ . '/rubrica/autoload.php' : __DIR__ . '/../php/autoload.php';

// WooCommerce warns about plugins without this declaration. Orders are read and written only with WooCommerce's
// functions, so any order storage works. Its block checkout shows only gateways that bring a script.
add_action('before_woocommerce_init', static function (): void {
    $features = '\Automattic\WooCommerce\Utilities\FeaturesUtil';
    if (!class_exists($features)) return;
    $features::declare_compatibility('custom_order_tables', __FILE__, true);
    $features::declare_compatibility('cart_checkout_blocks', __FILE__, false);
});

add_action('plugins_loaded', static function (): void {
    if (!class_exists('WC_Payment_Gateway')) return;
    require __DIR__ . '/class-rubrica-gateway.php';
    require __DIR__ . '/class-rubrica-callbacks.php';
    add_filter('woocommerce_payment_gateways', static fn (array $gateways) => [...$gateways, Rubrica_Gateway::class]);
    // ?wc-api=rubrica takes callbacks, rubrica_return the payer, and rubrica_order returns an order to a test run.
    add_action('woocommerce_api_rubrica', static fn () => Rubrica_Callbacks::take());
    add_action('woocommerce_api_rubrica_return', static fn () => Rubrica_Callbacks::welcome());
    add_action('woocommerce_api_rubrica_order', static fn () => Rubrica_Callbacks::tell());
});
