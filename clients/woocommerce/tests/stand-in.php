<?php
// Replaces the functions of WordPress and WooCommerce that the plugin uses: orders are files, and locks are file locks.
// It does not test the plugin with other plugins, themes and versions.
//   php -S 127.0.0.1:9000 stand-in.php        with SERVICE_TOKEN, SECRET_TOKEN, ORDERS_FILE, ORDERS_FOLDER
declare(strict_types=1);

// Does nothing when a shop serves this file with the plugin.
if (PHP_SAPI !== 'cli-server') exit;

const ABSPATH = __DIR__;
const WP_DEBUG = true;

final class Stand_In
{
    /** @var array<string, list<callable>> */
    public static array $hooks = [];

    public static function fire(string $hook, mixed $value = null): mixed
    {
        foreach (self::$hooks[$hook] ?? [] as $call) $value = $call($value);
        return $value;
    }
}

/** Records the shop features that the plugin declares support for. */
final class Stand_In_Features
{
    /** @var array<string, bool> */
    public static array $declared = [];

    public static function declare_compatibility(string $feature, string $plugin, bool $works): bool
    {
        self::$declared[$feature] = $works && is_file($plugin);
        return true;
    }
}
class_alias(Stand_In_Features::class, 'Automattic\WooCommerce\Utilities\FeaturesUtil');

function add_action(string $hook, callable $call): void
{
    Stand_In::$hooks[$hook][] = $call;
}

function add_filter(string $hook, callable $call): void
{
    add_action($hook, $call);
}

/** Returns the text itself, as WordPress does without a translation. */
function __(string $text, string $domain): string
{
    if ($domain !== 'rubrica-woocommerce') throw new LogicException("$domain is the text domain of another plugin");
    return $text;
}

function wc_get_order_status_name(string $state): string
{
    return ['refunded' => 'Reembolsado', 'processing' => 'Procesando', 'completed' => 'Completado'][$state] ?? $state;
}

function get_option(string $name, mixed $default = false): mixed
{
    return $default;
}

function home_url(string $path): string
{
    return (getenv('SHOP_URL') ?: 'http://127.0.0.1:9000') . $path;
}

function status_header(int $status): void
{
    http_response_code($status);
}

function wc_add_notice(string $text, string $kind): void
{
    header('X-Notice: ' . rawurlencode($text));
}

function wp_safe_redirect(string $url): void
{
    header("Location: $url", true, 302);
}

function wc_get_checkout_url(): string
{
    return home_url('/checkout');
}

abstract class WC_Payment_Gateway
{
    public string $id = '';
    public string $title = '';
    public string $method_title = '';
    public string $method_description = '';
    public bool $has_fields = false;
    public array $form_fields = [];
    private array $settings = [];

    public function init_settings(): void
    {
        $this->settings = [
            'base_url' => getenv('RUBRICA_URL') ?: 'http://127.0.0.1:8080',
            'service_token' => getenv('SERVICE_TOKEN'),
            'secret_token' => getenv('SECRET_TOKEN'),
            'old_secret_token' => (string) getenv('OLD_SECRET_TOKEN'),
        ];
    }

    public function get_option(string $name): string
    {
        return $this->settings[$name] ?? $this->form_fields[$name]['default'] ?? '';
    }

    public function process_admin_options(): void
    {
    }
}

/** An order in a file. As WordPress does, it reads an order once for each request. */
final class WC_Order
{
    /** @var array<int, array> */
    private static array $cache = [];
    private array $kept;

    public function __construct(private readonly int $id, private readonly array $order)
    {
        $new = ['state' => 'pending', 'deliveries' => 0, 'transaction' => '', 'meta' => [Rubrica_Gateway::REFERENCE => $order['reference'] ?? '']];
        $this->kept = self::$cache[$id] ??= is_file($this->file()) ? json_decode(file_get_contents($this->file()), true) : $new;
    }

    /** Reads the file again, as a query for ids does, which fills no cache. */
    public static function queried(int $id, array $order): self
    {
        $before = self::$cache;
        unset(self::$cache[$id]);
        $read = new self($id, $order);
        self::$cache = $before;
        return $read;
    }

    public function get_id(): int { return $this->id; }
    public function get_total(): string { return (string) $this->order['amount']; }
    public function get_currency(): string { return $this->order['currency']; }
    public function get_billing_email(): string { return $this->order['email'] ?? 'ana@example.cl'; }
    public function get_status(): string { return $this->kept['state']; }
    public function has_status(string $state): bool { return $this->kept['state'] === $state; }
    public function is_paid(): bool { return in_array($this->kept['state'], ['processing', 'completed'], true); }
    public function get_meta(string $name): mixed { return $this->kept['meta'][$name] ?? ''; }
    public function add_meta_data(string $name, mixed $value): void { $this->kept['meta'][$name][] = $value; }
    public function update_meta_data(string $name, mixed $value): void { $this->kept['meta'][$name] = $value; }
    public function set_transaction_id(string $id): void { $this->kept['transaction'] = $id; }

    /** Stored at once, without the other changes. */
    public function add_order_note(string $note): void
    {
        error_log("note: $note");
        file_put_contents($this->file() . '.notes', "$note\n", FILE_APPEND);
    }

    public function get_checkout_order_received_url(): string { return home_url('/thanks'); }

    /**
     * As in WooCommerce: leaves an order that does not wait for payment as it is, and returns false if a plugin threw.
     * Neither case saves the order.
     */
    public function payment_complete(string $transaction): bool
    {
        if (is_file($this->file() . '.broken')) return false;
        if (!in_array($this->kept['state'], ['on-hold', 'pending', 'failed', 'cancelled'], true)) return true;
        $this->kept['transaction'] = $transaction;
        $this->kept['deliveries'] += 1;
        $this->update_status('processing');
        error_log("paid {$this->kept['meta'][Rubrica_Gateway::REFERENCE]}");
        return true;
    }

    public function update_status(string $state, string $note = ''): void
    {
        $this->kept['state'] = $state;
        if ($note !== '') $this->add_order_note($note);
        $this->save();
    }

    public function save(): void
    {
        $part = $this->file() . '.' . getmypid();
        file_put_contents($part, json_encode($this->kept));
        rename($part, $this->file());
        self::$cache[$this->id] = $this->kept;
    }

    /** Returns the order as the shop's database has it. */
    public function stored(): array
    {
        return ['state' => $this->kept['state'], 'deliveries' => $this->kept['deliveries']];
    }

    private function file(): string
    {
        return getenv('ORDERS_FOLDER') . "/order-$this->id.json";
    }
}

function stand_in_orders(): array
{
    return json_decode(file_get_contents(getenv('ORDERS_FILE')), true);
}

function wc_get_order(int $id): ?WC_Order
{
    $order = stand_in_orders()[$id - 1] ?? null;
    return $order === null ? null : new WC_Order($id, $order);
}

function wc_get_orders(array $query): array
{
    $orders = array_map(static fn (int $at, array $order) => WC_Order::queried($at + 1, $order), array_keys(stand_in_orders()), stand_in_orders());
    // Newest first, as in WooCommerce.
    $found = array_values(array_filter(array_reverse($orders), static fn (WC_Order $order) => in_array($query['meta_value'], (array) $order->get_meta($query['meta_key']), true)));
    return ($query['return'] ?? 'objects') === 'ids' ? array_map(static fn (WC_Order $order) => $order->get_id(), $found) : $found;
}

function WC(): object
{
    return new class {
        public function payment_gateways(): object
        {
            return new class {
                public function payment_gateways(): array
                {
                    $gateways = array_map(static fn (string $class) => new $class(), Stand_In::fire('woocommerce_payment_gateways', []));
                    return array_column($gateways, null, 'id');
                }
            };
        }
    };
}

/** Supports only GET_LOCK and RELEASE_LOCK, shared by the processes of this server. */
$wpdb = new class {
    public string $prefix = 'wp_';
    private mixed $held = null;

    public function prepare(string $sql, mixed ...$values): string
    {
        return vsprintf(str_replace('%s', "'%s'", $sql), $values);
    }

    public function get_var(string $sql): string
    {
        preg_match("/GET_LOCK\('(\w+)'/", $sql, $found);
        $this->held = fopen(getenv('ORDERS_FOLDER') . "/$found[1].lock", 'c');
        $has = flock($this->held, LOCK_EX);
        // What another request has stored while this one waited for the lock.
        $order = preg_replace('/.*_(\d+)$/', getenv('ORDERS_FOLDER') . '/order-$1.json', $found[1]);
        if (is_file("$order.meanwhile")) rename("$order.meanwhile", $order);
        return $has ? '1' : '0';
    }

    public function query(string $sql): void
    {
        fclose($this->held);
    }
};

require __DIR__ . '/../rubrica-woocommerce.php';
Stand_In::fire('before_woocommerce_init');
Stand_In::fire('plugins_loaded');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (str_starts_with($path, '/orders/')) {
    // Read without the plugin: the test judges what is stored.
    $found = wc_get_orders(['meta_key' => Rubrica_Gateway::REFERENCE, 'meta_value' => rawurldecode(substr($path, 8))]);
    http_response_code($found === [] ? 404 : 200);
    echo json_encode($found === [] ? null : $found[0]->stored());
    exit;
}
if ($path === '/features') {
    echo json_encode(Stand_In_Features::$declared);
    exit;
}
if ($path === '/pay') {
    echo json_encode(WC()->payment_gateways()->payment_gateways()['rubrica']->process_payment((int) $_GET['order']));
    exit;
}
Stand_In::fire('woocommerce_api_' . $_GET['wc-api']);
