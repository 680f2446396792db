import type { App } from '../app.ts';
import { availableMethods } from '../checkout/available-methods.ts';
import type { Payment } from '../checkout/find-payment.ts';
import type { PaymentAttempt } from '../checkout/payment-attempt.ts';
import { trustedHtml } from '../http/html.ts';
import type { PageContent } from '../http/page.ts';
import type { Language } from '../lib/language.ts';
import type { Look } from '../payment-services/look.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { payPage, payPath } from './pay-page.ts';

export const SAMPLE_STAGES = ['payable', 'declined', 'completed'] as const;

type Sample = { environment: ServiceEnvironment; look: Look; stage: (typeof SAMPLE_STAGES)[number] };

/**
 * Returns the page of an invented payment, for the person who sets a shop's look. It reads nothing from the store. The
 * payment's buttons and links lead to `home`. It holds no signature: a shop would accept a signed result that never
 * happened.
 */
export function samplePage(
  app: App,
  { environment, look, stage }: Sample,
  language: Language,
  home: string,
): PageContent {
  const now = app.now();
  const transaction = sampleTransaction(environment, now);
  const methods = availableMethods(app, environment, transaction);
  const payment: Payment = {
    transaction: stage === 'completed' ? { ...transaction, state: 'completed', settled_at: now } : transaction,
    environment,
    attempt: stage === 'payable' ? null : sampleAttempt(transaction, stage),
    method: methods[0] ?? null,
    methods,
    look,
    refunded: 0,
    shopIsSilent: false,
    isLastTry: false,
    stage: stage === 'completed' ? 'completed' : 'payable',
  };
  // Remove the countdown, so that the sample does not leave by itself.
  const { refresh: _, script: __, formTarget: ___, ...page } = payPage(app, payment, language);
  return { ...page, main: trustedHtml(leadHome(page.main.text, payPath(app, payment), home)) };
}

/** Replaces the targets of forms and links with `home`, an escaped address of the service. */
function leadHome(markup: string, path: string, home: string): string {
  return markup
    .replaceAll(/<form method="post" action="[^"]*"/g, () => `<form action="${home}"`)
    .replaceAll(`href="${path}/cancel"`, () => `href="${home}"`);
}

const LINES = [
  { name: 'Maceta de barro', quantity: 2, price: 7990 },
  { name: 'Despacho', quantity: 1, price: 9000 },
];

const MINUTE = 60_000;

function sampleTransaction(environment: ServiceEnvironment, now: number): Transaction {
  return {
    id: 1001,
    environment_id: environment.id,
    amount: 24_980,
    currency: 'CLP',
    created_at: now,
    expires_at: now + 42 * MINUTE,
    settled_at: null,
    last_sequence: 1,
    state: 'pending',
    reference: 'ORD-0001',
    customer_email: '',
    session_id: 'sample',
    shop_country: 'CL',
    url_callback: '',
    url_cancel: '',
    url_complete: '',
    pay_secret: '',
    payment_method: null,
    unsigned_fields: JSON.stringify({ x_products: LINES }),
    fee: 0,
  };
}

function sampleAttempt(transaction: Transaction, stage: 'declined' | 'completed'): PaymentAttempt {
  const state = stage === 'completed' ? 'approved' : 'declined';
  const detail = state === 'approved' ? { authorization_code: '001001' } : { reason: 'insufficient_funds' };
  return { state, detail: JSON.stringify(detail), created_at: transaction.created_at } as PaymentAttempt;
}
