/** The kinds of disturbances that happen to callbacks in practice. */
export type ChaosClassName =
  | 'duplicates'
  | 'reordering'
  | 'delay'
  | 'two_at_once'
  | 'old_secret'
  | 'stale_time'
  | 'wrong_amount'
  | 'wrong_currency'
  | 'another_order'
  | 'test_as_live'
  | 'spliced_fields'
  | 'error_after_doing';

export type ChaosClass = {
  name: ChaosClassName;
  title: string;
  /** `once`: the order must be paid, and fulfilled once. `never`: the order must not change. */
  must: 'once' | 'never';
  /** How it happens in practice. */
  why: string;
  /** The fix in the shop's receiver. */
  fix: string;
};

/** THE TABLE of the twelve classes, in the order of the report. */
export const CHAOS_CLASSES: readonly ChaosClass[] = [
  {
    name: 'duplicates',
    title: 'the same callback again',
    must: 'once',
    why: 'Callbacks come at least once: an answer that is lost on the way brings the same one again.',
    fix: "Change the state in one statement that names the state before, such as update orders set state = 'paid' where reference = ? and state = 'open', carry the order out only where it changed a row, and answer 200 either way.",
  },
  {
    name: 'reordering',
    title: 'an older event after a newer one',
    must: 'once',
    why: 'A callback that failed is sent again hours later, after newer ones of its transaction.',
    fix: 'An order that is paid stays paid, whatever comes later. The header Rubrica-Sequence counts the events of a transaction: pass over one that is below the last you took, and answer 200.',
  },
  {
    name: 'delay',
    title: 'a callback that comes days late',
    must: 'once',
    why: 'While a shop is down its callbacks wait, for up to three days. x_timestamp is when the payment happened, not when it is told.',
    fix: 'Do not compare x_timestamp with the clock. The time of sending is webhook-timestamp, new with each attempt.',
  },
  {
    name: 'two_at_once',
    title: 'the same callback several times at once',
    must: 'once',
    why: 'A repeat can arrive while the first is still being worked on, in another process of the shop.',
    fix: 'Do not read the state and write it later: let one statement of the database, or a lock on the order, decide which of them carries it out.',
  },
  {
    name: 'old_secret',
    title: 'signed with a Secret Token that was replaced',
    must: 'never',
    why: 'A Secret Token is replaced because others may have it. Once it is closed, only they still sign with it.',
    fix: 'Take the old Secret Token out of the configuration when the rotation has ended. Compute x_signature with the current one and compare it in constant time.',
  },
  {
    name: 'stale_time',
    title: 'a genuine request that was kept and sent again',
    must: 'never',
    why: 'Who has once seen a request, in a log or at a proxy, can send it again with all of its headers.',
    fix: 'Check the webhook headers and refuse a webhook-timestamp more than five minutes from now: requireWebhookHeaders of verifyCallback does both.',
  },
  {
    name: 'wrong_amount',
    title: 'another amount than the order has',
    must: 'never',
    why: 'A cart changes after the payer was sent to pay, or somebody pays little under the reference of a dear order.',
    fix: 'Compare x_amount, as a number, with the amount of your order before you act: compareWithOrder does.',
  },
  {
    name: 'wrong_currency',
    title: 'the right digits in another currency',
    must: 'never',
    why: 'A shop with two currencies creates a transaction in the wrong one.',
    fix: 'Compare x_currency with the currency of your order before you act: compareWithOrder does.',
  },
  {
    name: 'another_order',
    title: 'the callback of an order that is not yours, at the address of one that is',
    must: 'never',
    why: 'Two shops share tokens, or somebody puts the reference of his own order into the URL of another.',
    fix: 'Find the order by the x_reference of the signed body alone, never by the query, a cookie or the order last seen, and refuse a reference that you do not know.',
  },
  {
    name: 'test_as_live',
    title: 'a test where a payment is expected, or the other way round',
    must: 'never',
    why: 'Tokens for development in the configuration of the live shop: a payment that collects nothing reads as paid.',
    fix: 'Compare x_test with what this installation of the shop expects: expected.test of verifyCallback.',
  },
  {
    name: 'spliced_fields',
    title: 'a failed payment, cut anew so that it reads as completed',
    must: 'never',
    why: 'The signed text has no separators: a reference that contains the name of a field lets one text be read in two ways.',
    fix: 'Refuse a value that contains the name of a field, and accept exactly the ten names, each once: verifyCallback does.',
  },
  {
    name: 'error_after_doing',
    title: 'the shop does it, its answer is lost, and the callback is sent again',
    must: 'once',
    why: 'A shop that fails after it has stored the payment answers 5xx or nothing, and is told again with a new time and a new webhook-signature.',
    fix: 'Know a repeat by the order, or by webhook-id, which stay the same; never by webhook-signature, by the time, or by whether the last answer arrived.',
  },
];
