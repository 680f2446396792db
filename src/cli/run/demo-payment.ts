import { REQUEST_FIELDS, SIGNATURE_FIELD } from '../../../protocol/field-names.ts';
import { sign } from '../../../protocol/sign-fields.ts';
import { verifyCallback } from '../../../protocol/verify-callback.ts';
import { setEventsUrl } from '../../outbox/webhooks/set-events-url.ts';
import { createPaymentService } from '../../payment-services/create-payment-service.ts';
import { checkLogo } from '../../payment-services/look.ts';
import { setFee } from '../../payment-services/set-fee.ts';
import { setLook } from '../../payment-services/set-look.ts';
import { DEMO_COLOUR, drawDemoLogo } from './demo-logo.ts';
import { ask, type Demo } from './demo-stage.ts';

/** The paid order as the shop knows it. `amount` is in minor units. */
export type PaidOrder = { transactionId: number; amount: number; paymentServiceId: string; secretToken: string };

/** Creates a payment service and a transaction, pays it as a payer, and verifies the callback. */
export async function payAndReceive(demo: Demo): Promise<PaidOrder> {
  demo.step('Create a payment service');
  const service = await createPaymentService(demo.app, 'Tienda Demo', demo.by);
  const tokens = service.development;
  demo.show('command', "bin/rubrica payment-service create --name 'Tienda Demo'");
  demo.show('Service Token', shorten(tokens.service_token));
  demo.show('Secret Token', `${tokens.secret_token.slice(0, 4)}… (shown once, stored encrypted)`);
  await dress(demo, service.id);
  await setEventsUrl(
    demo.app,
    { paymentServiceId: service.id, environment: 'development' },
    `${demo.receiverUrl}/events`,
    demo.by,
  );
  demo.show('refunds are told to', `${demo.receiverUrl}/events`);
  const target = {
    paymentServiceId: service.id,
    environment: 'development',
    method: 'simulated',
    currency: 'CLP',
  } as const;
  await setFee(demo.app, target, { rate_ppm: 29_500, fixed: 0 }, demo.by);
  demo.show('command', 'bin/rubrica payment-service fee … --method simulated --rate 29500   # 2.95 % of each payment');

  demo.step('Sign and post a transaction, as a shop does');
  const fields = shopFields(demo, tokens.service_token);
  const body = { ...sign(fields, tokens.secret_token, { allowHttp: true }), x_products: PRODUCTS };
  for (const name of [...REQUEST_FIELDS, SIGNATURE_FIELD] as const) demo.show(name, shorten(body[name]));
  const response = await ask(`${demo.url}/trxs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const reply = (await response.json()) as { data: { idTrx: number; payUrl: { url: string }[] } };
  demo.check(response.status === 200, `POST /trxs answered 200: transaction ${reply.data?.idTrx}, stored durably`);
  const payUrl = reply.data.payUrl[0]?.url as string;
  demo.show('pay page', payUrl);

  demo.step('Pay it with the simulated method, as a payer does');
  await pay(demo, payUrl);

  demo.step('Receive the callback and verify it');
  const received = await demo.nextCallback();
  const verified = verifyCallback({
    body: received.body,
    headers: received.headers,
    secret: tokens.secret_token,
    requireWebhookHeaders: true,
    expected: {
      account: tokens.service_token,
      reference: fields.x_reference,
      amount: fields.x_amount,
      currency: fields.x_currency,
      test: true,
    },
  });
  for (const [name, value] of new URLSearchParams(received.body)) demo.show(name, shorten(value));
  demo.check(verified.ok, 'its signature and Standard Webhooks headers are genuine, and it matches our order');
  demo.check(new URLSearchParams(received.body).get('x_result') === 'completed', 'it says completed');
  return {
    transactionId: reply.data.idTrx,
    amount: Number(fields.x_amount),
    paymentServiceId: service.id,
    secretToken: tokens.secret_token,
  };
}

/** The order lines on the page. They are not signed. */
const PRODUCTS = [
  { name: 'Café de grano 500 g', quantity: 1, price: 8990 },
  { name: 'Filtros de papel', quantity: 2, price: 2000 },
];

/** Gives the payment pages the shop's look: mark, colour and legal details. */
async function dress(demo: Demo, paymentServiceId: string): Promise<void> {
  const bytes = drawDemoLogo();
  const checked = checkLogo(bytes);
  if ('refusal' in checked) throw new Error(checked.refusal.en);
  const look = {
    colour: DEMO_COLOUR,
    site: 'https://tienda.example.cl/',
    contact: 'ayuda@tienda.example.cl',
    legalName: 'Tienda Demo SpA',
    rut: '76111222-8',
    terms: 'https://tienda.example.cl/terminos',
    logo: { image: checked.image, bytes },
  };
  await setLook(demo.app, paymentServiceId, look, demo.by);
  demo.show('command', `bin/rubrica payment-service look … --logo logo.png --colour '${DEMO_COLOUR}' --site …`);
}

function shopFields(demo: Demo, serviceToken: string) {
  return {
    x_account_id: serviceToken,
    x_amount: '12990',
    x_currency: 'CLP',
    x_customer_email: 'compradora@example.cl',
    x_reference: `DEMO-${demo.app.now()}`,
    x_session_id: 'demo-session-1',
    x_shop_country: 'CL',
    x_url_callback: `${demo.receiverUrl}/callback?order=1`,
    x_url_cancel: `${demo.receiverUrl}/cancel`,
    x_url_complete: `${demo.receiverUrl}/complete`,
  };
}

async function pay(demo: Demo, payUrl: string): Promise<void> {
  const page = await ask(payUrl);
  const html = await page.text();
  demo.check(page.status === 200 && html.includes('12.990'), 'the pay page shows the amount');
  const paid = await ask(payUrl, { method: 'POST', body: new URLSearchParams({ method: 'simulated' }) });
  demo.check(paid.status === 200, 'paid: the page shows the outcome and the way back to the shop');
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 28)}…${text.slice(-8)}` : text;
}
