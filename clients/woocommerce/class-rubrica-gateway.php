<?php
declare(strict_types=1);

defined('ABSPATH') || exit;

/** The shop's payment method: creates the transaction of an order and sends the payer to it. */
final class Rubrica_Gateway extends WC_Payment_Gateway
{
    /**
     * Order meta: the reference of the newest transaction, earlier references, the digest of the newest transaction's
     * fields, and the number of transactions.
     */
    public const REFERENCE = '_rubrica_reference';
    public const OLD_REFERENCE = '_rubrica_old_reference';
    public const ASKED = '_rubrica_asked';
    private const ATTEMPT = '_rubrica_attempt';

    public function __construct()
    {
        $this->id = 'rubrica';
        $this->method_title = 'Rúbrica';
        $this->method_description = __('El comprador paga en la página de tu servicio de pago y vuelve a la tienda.', 'rubrica-woocommerce');
        $this->has_fields = false;
        $this->form_fields = [
            'enabled' => ['title' => __('Ofrecerlo', 'rubrica-woocommerce'), 'type' => 'checkbox', 'default' => 'no'],
            'title' => ['title' => __('Nombre', 'rubrica-woocommerce'), 'type' => 'text', 'default' => 'Tarjeta o transferencia'],
            'base_url' => ['title' => __('Dirección del servicio', 'rubrica-woocommerce'), 'type' => 'text', 'default' => 'https://'],
            'service_token' => ['title' => 'Service Token', 'type' => 'text', 'default' => ''],
            'secret_token' => ['title' => 'Secret Token', 'type' => 'password', 'default' => ''],
            'old_secret_token' => ['title' => __('Secret Token anterior, mientras se reemplaza', 'rubrica-woocommerce'), 'type' => 'password', 'default' => ''],
            'test' => ['title' => __('Son tokens de desarrollo', 'rubrica-woocommerce'), 'type' => 'checkbox', 'default' => 'yes'],
        ];
        $this->init_settings();
        $this->title = $this->get_option('title');
        add_action('woocommerce_update_options_payment_gateways_rubrica', [$this, 'process_admin_options']);
    }

    /**
     * @param int $order_id
     * @return array{result: string, redirect?: string}
     */
    public function process_payment($order_id): array
    {
        $order = wc_get_order($order_id);
        try {
            $created = $this->client()->createTransaction($this->transactionOf($order));
        } catch (Rubrica\RubricaError | InvalidArgumentException $error) {
            if ($error instanceof Rubrica\RubricaError && $error->errorCode === 'REFERENCE_CONFLICT') {
                // Another order had this id before the shop was restored or reinstalled. The next attempt gets a new reference.
                $order->update_meta_data(self::ASKED, '');
                $order->save();
            }
            // The order cannot be signed, or a setting is wrong. Thrown further, WooCommerce would show this text to the payer.
            /* translators: %s: a technical text in English */
            $order->add_order_note(sprintf(__('No se pudo iniciar el pago. Detalle técnico: %s', 'rubrica-woocommerce'), $error->getMessage()));
            // WordPress accepts invalid addresses such as ana.@example.cl.
            $isAddress = $error instanceof Rubrica\SigningError && in_array('x_customer_email', array_column($error->problems, 'field'), true);
            $told = $isAddress
                ? __('Revisa tu correo electrónico: no es una dirección válida.', 'rubrica-woocommerce')
                : __('No pudimos iniciar el pago. Inténtalo de nuevo en un momento.', 'rubrica-woocommerce');
            wc_add_notice($told, 'error');
            return ['result' => 'failure'];
        }
        $order->set_transaction_id((string) $created['idTrx']);
        $order->save();
        return ['result' => 'success', 'redirect' => $created['payUrl'][0]['url']];
    }

    /** Returns whether the reference was made for the order with this id, and not for the order that it was copied from. */
    public static function isOf(string $reference, int $id): bool
    {
        return str_starts_with($reference, "WC-$id-");
    }

    /** Verifies with both Secret Tokens during a rotation. */
    public function verifier(): Rubrica\CallbackVerifier
    {
        $secrets = array_values(array_filter([$this->get_option('secret_token'), $this->get_option('old_secret_token')]));
        return new Rubrica\CallbackVerifier($this->get_option('service_token'), $secrets, $this->isTest());
    }

    public function isTest(): bool
    {
        return $this->get_option('test') === 'yes';
    }

    private function client(): Rubrica\RubricaClient
    {
        // A payer and a process of the shop wait for this call.
        return new Rubrica\RubricaClient(
            $this->get_option('base_url'),
            $this->get_option('service_token'),
            $this->get_option('secret_token'),
            timeout: 6,
            patience: 5,
        );
    }

    /** @return array<string, string> */
    private function transactionOf(WC_Order $order): array
    {
        $asked = [
            'x_amount' => (string) $order->get_total(),
            'x_currency' => $order->get_currency(),
            'x_customer_email' => $order->get_billing_email(),
            'x_shop_country' => substr((string) get_option('woocommerce_default_country', 'CL'), 0, 2),
            'x_url_callback' => home_url('/?wc-api=rubrica'),
            'x_url_cancel' => home_url('/?wc-api=rubrica_return&to=cart'),
            'x_url_complete' => home_url('/?wc-api=rubrica_return'),
        ];
        $reference = $this->referenceFor($order, hash('sha256', (string) json_encode($asked)));
        return [...$asked, 'x_reference' => $reference, 'x_session_id' => "session-$reference"];
    }

    /**
     * Returns the reference to pay with. A reference belongs to one transaction, so a failed, changed or copied order
     * gets a new one.
     */
    private function referenceFor(WC_Order $order, string $asked): string
    {
        $reference = (string) $order->get_meta(self::REFERENCE);
        if (self::isOf($reference, $order->get_id()) && !$order->has_status('failed') && $order->get_meta(self::ASKED) === $asked) return $reference;
        // The payer may still have the former pay page open.
        if ($reference !== '') $order->add_meta_data(self::OLD_REFERENCE, $reference);
        $attempt = (int) $order->get_meta(self::ATTEMPT) + 1;
        $reference = "WC-{$order->get_id()}-$attempt";
        $order->update_meta_data(self::REFERENCE, $reference);
        $order->update_meta_data(self::ATTEMPT, (string) $attempt);
        $order->update_meta_data(self::ASKED, $asked);
        // Save before the request: the callback may arrive before the response is read.
        $order->save();
        return $reference;
    }
}
