<?php
declare(strict_types=1);

defined('ABSPATH') || exit;

/** Handles the requests that the service and the payer's browser post to the shop. */
final class Rubrica_Callbacks
{
    /** Order meta: the ids of transactions whose payment was recorded. Earlier versions stored the webhook-id instead. */
    private const WEBHOOKS = '_rubrica_webhook_ids';
    private const LOCK_SECONDS = 20;

    /** Responds with 200 after the callback is stored, with 4xx for a final refusal, and with 5xx for a retry. */
    public static function take(): void
    {
        self::answer(self::receive((string) file_get_contents('php://input'), $_SERVER));
    }

    /** Handles the payer's return, before or after the callback. Only the callback changes the order's state. */
    public static function welcome(): void
    {
        try {
            $told = self::gateway()->verifier()->verifyReturn((string) file_get_contents('php://input'));
            $id = self::idOf($told->reference);
        } catch (Rubrica\CallbackRefused) {
            $id = null;
        }
        // The transaction has ended. Without this, a payer who pays again before the callback would get the same transaction.
        if ($id !== null && $told->result === 'failed') {
            self::locked($id, static fn () => self::endTransaction(wc_get_order($id), $told->reference));
        }
        $order = $id === null ? null : wc_get_order($id);
        $failed = $order === null || $told->result === 'failed' || ($_GET['to'] ?? '') === 'cart';
        wp_safe_redirect($failed ? wc_get_checkout_url() : $order->get_checkout_order_received_url());
        exit;
    }

    /** Makes the next payment of the order start a new transaction. */
    private static function endTransaction(WC_Order $order, string $reference): int
    {
        if ($order->get_meta(Rubrica_Gateway::REFERENCE) !== $reference) return 0;
        $order->update_meta_data(Rubrica_Gateway::ASKED, '');
        $order->save();
        return 1;
    }

    /** Returns the state of an order for `--order-url` of `bin/rubrica chaos run`, only with development tokens and WP_DEBUG. */
    public static function tell(): void
    {
        $order = self::gateway()->isTest() && WP_DEBUG ? self::orderOf((string) ($_GET['reference'] ?? '')) : null;
        if ($order === null) self::answer(404);
        header('Content-Type: application/json');
        echo json_encode(['state' => $order->get_status(), 'payments' => count($order->get_meta(self::WEBHOOKS) ?: [])]);
        exit;
    }

    /** @param array<string, mixed> $headers */
    private static function receive(string $body, array $headers): int
    {
        try {
            $callback = self::gateway()->verifier()->verify($body, $headers);
        } catch (Rubrica\CallbackRefused $refusal) {
            error_log("rubrica: {$refusal->getMessage()}");
            return 400;
        }
        $order = self::idOf($callback->reference);
        if ($order === null) return 404;
        return self::locked($order, static fn () => self::carryOut(wc_get_order($order), $callback)) ?? 503;
    }

    /** Runs under the order's lock, and the order was read under it: no other callback changes the order meanwhile. */
    private static function carryOut(WC_Order $order, Rubrica\Callback $callback): int
    {
        // The payment was recorded before, so later changes of the order do not matter. After a restore the webhook-id differs.
        if (array_intersect([$callback->webhookId, $callback->transactionId], $order->get_meta(self::WEBHOOKS) ?: [])) return 200;
        if ($order->get_meta(Rubrica_Gateway::REFERENCE) !== $callback->reference) return self::hold($order, $callback);
        try {
            $callback->compareWith((string) $order->get_total(), $order->get_currency());
        } catch (Rubrica\CallbackRefused | InvalidArgumentException $refusal) {
            $order->add_order_note(self::refused($callback, $order, $refusal->getMessage()));
            return 400;
        }
        if ($callback->result === 'completed') {
            self::remember($order, $callback);
            $before = $order->get_status();
            $late = self::paidLate($callback, $order);
            // False: another plugin failed, and nothing was stored.
            if (!self::hasEnded($order) && !$order->payment_complete($callback->transactionId)) return 503;
            // WooCommerce silently leaves an order in a state that another plugin has added.
            if ($order->has_status($before)) self::note($order, $late);
        } elseif ($callback->result === 'failed') {
            // The transaction has ended: another payment needs a new one.
            $order->update_meta_data(Rubrica_Gateway::ASKED, '');
            // Only a pending order fails. Any other may be paid, or wait for a transfer to the shop's account.
            if ($order->has_status('pending')) $order->update_status('failed', self::failed($callback));
            else $order->save();
        }
        return 200;
    }

    /**
     * Handles a payment of an older transaction, which was replaced when the order changed. A person must decide about
     * the money.
     */
    private static function hold(WC_Order $order, Rubrica\Callback $callback): int
    {
        if ($callback->result !== 'completed') return 200;
        self::remember($order, $callback);
        /* translators: 1: amount, 2: currency, 3: id of the transaction */
        $note = sprintf(
            __('El comprador pagó %1$s %2$s con la transacción %3$s, que era del pedido como estaba antes: devuélvelo o completa el pedido.', 'rubrica-woocommerce'),
            $callback->amount,
            $callback->currency,
            $callback->transactionId,
        );
        if (self::hasEnded($order)) self::note($order, $note);
        else $order->update_status('on-hold', $note);
        return 200;
    }

    /** Stored with the next save of the order. */
    private static function remember(WC_Order $order, Rubrica\Callback $callback): void
    {
        $order->update_meta_data(self::WEBHOOKS, [...($order->get_meta(self::WEBHOOKS) ?: []), $callback->transactionId]);
    }

    /** Returns whether the order is paid or refunded. Later callbacks do not change such an order. */
    private static function hasEnded(WC_Order $order): bool
    {
        return $order->is_paid() || $order->has_status('refunded');
    }

    private static function failed(Rubrica\Callback $callback): string
    {
        return match ($callback->message) {
            'Declined' => __('El pago fue rechazado.', 'rubrica-woocommerce'),
            'Cancelled' => __('El comprador canceló el pago.', 'rubrica-woocommerce'),
            'Expired' => __('El pago venció sin completarse.', 'rubrica-woocommerce'),
            default => $callback->message,
        };
    }

    /** Returns the shop's note about a payment of an ended order, or of an order that WooCommerce does not complete. */
    private static function paidLate(Rubrica\Callback $callback, WC_Order $order): string
    {
        /* translators: 1: amount, 2: currency, 3: id of the transaction, 4: state of the order */
        $ended = __('El comprador pagó %1$s %2$s con la transacción %3$s cuando el pedido ya estaba en estado «%4$s»: si también se pagó de otra forma, devuelve uno de los dos pagos.', 'rubrica-woocommerce');
        /* translators: 1: amount, 2: currency, 3: id of the transaction, 4: state of the order */
        $waiting = __('El comprador pagó %1$s %2$s con la transacción %3$s y el pedido sigue en estado «%4$s», que un pago no cambia: si es su único pago, cambia tú el estado; si también se pagó de otra forma, devuelve uno de los dos.', 'rubrica-woocommerce');
        return sprintf(
            self::hasEnded($order) ? $ended : $waiting,
            $callback->amount,
            $callback->currency,
            $callback->transactionId,
            wc_get_order_status_name($order->get_status()),
        );
    }

    /**
     * Returns the shop's note about a callback with another amount, or an order total that cannot be compared. `$why`
     * is a technical text.
     */
    private static function refused(Rubrica\Callback $callback, WC_Order $order, string $why): string
    {
        return sprintf(
            /* translators: 1: id of the transaction, 2: its amount, 3: its currency, 4: total of the order, 5: its currency, 6: a technical text in English */
            __('Se rechazó un aviso de la transacción %1$s por %2$s %3$s: no se pudo comprobar que sea el total del pedido, %4$s %5$s. Revisa el pago antes de entregar. Detalle técnico: %6$s', 'rubrica-woocommerce'),
            $callback->transactionId,
            $callback->amount,
            $callback->currency,
            $order->get_total(),
            $order->get_currency(),
            $why,
        );
    }

    private static function note(WC_Order $order, string $note): void
    {
        $order->add_order_note($note);
        $order->save();
    }

    /** Runs `$work` under the order's lock, which all processes share. Returns null after a wait of LOCK_SECONDS. */
    private static function locked(int $order, callable $work): ?int
    {
        global $wpdb;
        $name = "{$wpdb->prefix}rubrica_$order";
        if ((string) $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $name, self::LOCK_SECONDS)) !== '1') return null;
        try {
            return $work();
        } finally {
            // A process that dies releases the lock too, because its connection closes.
            $wpdb->query($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }

    private static function orderOf(string $reference): ?WC_Order
    {
        $id = self::idOf($reference);
        return $id === null ? null : wc_get_order($id);
    }

    /** Returns only the id: WordPress caches an order, and one read before the lock would be outdated. */
    private static function idOf(string $reference): ?int
    {
        if ($reference === '') return null;
        $found = [];
        foreach ([Rubrica_Gateway::REFERENCE, Rubrica_Gateway::OLD_REFERENCE] as $key) {
            array_push($found, ...wc_get_orders(['meta_key' => $key, 'meta_value' => $reference, 'limit' => -1, 'return' => 'ids']));
        }
        $found = array_map('intval', $found);
        // Copies of an order have its meta too. The reference names the order that was sent to be paid.
        $own = array_filter($found, static fn (int $id) => Rubrica_Gateway::isOf($reference, $id));
        return [...$own, ...$found][0] ?? null;
    }

    private static function gateway(): Rubrica_Gateway
    {
        return WC()->payment_gateways()->payment_gateways()['rubrica'];
    }

    private static function answer(int $status): never
    {
        status_header($status);
        exit;
    }
}
