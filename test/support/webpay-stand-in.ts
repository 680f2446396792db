import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WebpayVerb = 'create' | 'commit' | 'status' | 'refund';

/**
 * `drop_request`: nothing happens, and no response. `drop_answer`: the call takes effect, and no response. `stall` and
 * `late`: the same two, but the caller waits until `release`. `stale`: a status from before the commit. `odd_refusal`:
 * nothing happens, and a 422 with an unknown text. The others take effect and respond wrongly. `reversed`: a refund
 * reports a reversal.
 */
export type WebpayFault =
  | 'drop_request'
  | 'drop_answer'
  | 'stall'
  | 'late'
  | 'error_500'
  | 'malformed'
  | 'stale'
  | 'odd_refusal'
  | 'other_order'
  | 'other_amount'
  | 'reversed';

/** What the payer does on Transbank's form. `form_error`: the form fails. */
export type PayerChoice = 'pay' | 'decline' | 'abort' | 'time_out' | 'form_error';

export type WebpayStandIn = AsyncDisposable & {
  readonly url: string;
  /** Every call of the API as `verb status`, in order; a dropped one as `verb dropped`. */
  readonly calls: string[];
  /** Makes the next call of the verb fail in this way. */
  fail(verb: WebpayVerb, fault: WebpayFault): void;
  /** Responds to the next call of the verb with this body, without doing anything. */
  answerNext(verb: WebpayVerb, body: Record<string, unknown>): void;
  /** Whether one of the next calls will get a late response. */
  willBeLate(): boolean;
  /** Resolves when a caller waits. */
  waiting(): Promise<void>;
  /** Sends the late responses. */
  release(): void;
  /** Acts as the payer. Returns the URL to which their browser is sent. */
  choose(token: string, choice: PayerChoice): string;
  /** Reverses authorised payments that were not committed, as Transbank does after a time. */
  reverseUncommitted(): void;
  /** The tokens of all payments, in order of creation. */
  tokens(): string[];
  /** The total that the payers' banks have charged minus refunds. */
  charged(): number;
  /** Whether every status is from before the commit, as in the half second after it. */
  keepStale(kept: boolean): void;
  /** Refunds a committed payment in Transbank's portal. */
  refundInPortal(token: string, amount: number): void;
  /** Makes every further full refund a nullification, as on the days after the payment. */
  nextDay(): void;
  /** Freezes the balances that `status` reports; null reports the real ones again. Refunds still take effect. */
  holdBalances(until: 'now' | null): void;
  /** THE LEDGER: the refunds in order of execution, by any caller and with any response. */
  refundedAmounts(): readonly number[];
};

export type StandInOptions = {
  /** The API key of each commerce code; replaces the default one of the tests. */
  keys?: Readonly<Record<string, string>>;
  /** The status of a payment that is authorised but not committed; the documentation does not name it. */
  statusBeforeCommit?: 'INITIALIZED' | 'AUTHORIZED';
};

type Stage = 'on form' | 'authorised' | 'refused' | 'aborted' | 'committed' | 'failed' | 'reversed';

type Payment = {
  token: string;
  commerceCode: string;
  buy_order: string;
  session_id: string;
  amount: number;
  return_url: string;
  stage: Stage;
  refunded: number;
  /** The values in `status`, if they lag behind. */
  shown: { stage: Stage; refunded: number } | null;
};

type Reply = { status: number; body: Record<string, unknown> };

const API = '/rswebpaytransaction/api/webpay/v1.2/transactions';
const FORM = '/webpayserver/initTransaction';

/**
 * Starts Transbank's Webpay Plus REST API 1.2 on loopback, written from its public documentation, with refusal texts
 * that its users published. No money moves; `charged` says how much would have.
 */
export async function startWebpayStandIn(options: StandInOptions = {}): Promise<WebpayStandIn> {
  const { keys = { '597055555532': 'k'.repeat(64) }, statusBeforeCommit = 'INITIALIZED' } = options;
  const payments = new Map<string, Payment>();
  const faults: { verb: WebpayVerb; fault: WebpayFault }[] = [];
  const planned: { verb: WebpayVerb; body: Record<string, unknown> }[] = [];
  const calls: string[] = [];
  const held: (() => void)[] = [];
  let holding = Promise.withResolvers<void>();
  const refundedAmounts: number[] = [];
  let reversible = true;
  let stale = false;
  let base = '';

  const create = (commerceCode: string, body: Record<string, unknown>): Reply => {
    const refusal = createRefusal(body);
    if (refusal !== null) return refused(refusal);
    const token = randomBytes(32).toString('hex');
    payments.set(token, { ...(body as Payment), token, commerceCode, stage: 'on form', refunded: 0, shown: null });
    return { status: 200, body: { token, url: `${base}${FORM}` } };
  };

  const act: Record<
    Exclude<WebpayVerb, 'create'>,
    (payment: Payment | undefined, body: Record<string, unknown>) => Reply
  > = {
    commit: (payment) => {
      if (payment === undefined) return refused('Invalid value for parameter: token');
      if (payment.stage === 'on form') {
        return refused(
          "Invalid status '0' for transaction while authorizing. Commerce will be notified by webpay to authorize",
        );
      }
      if (payment.stage !== 'authorised' && payment.stage !== 'refused') {
        const named = payment.stage === 'aborted' ? 'aborted' : statusOf(payment, statusBeforeCommit);
        return refused(`Transaction has an invalid finished state: ${named}`);
      }
      payment.stage = payment.stage === 'authorised' ? 'committed' : 'failed';
      return { status: 200, body: resultOf(payment, statusBeforeCommit) };
    },
    status: (payment) => {
      if (payment === undefined) return refused('Invalid value for parameter: token');
      return { status: 200, body: resultOf({ ...payment, ...payment.shown }, statusBeforeCommit) };
    },
    refund: (payment, { amount }) => {
      if (payment?.stage !== 'committed') return refused('Transaction not found');
      if (typeof amount !== 'number' || amount > payment.amount - payment.refunded) {
        return refused('Amount to refund is bigger than authorized');
      }
      refundedAmounts.push(amount);
      return { status: 200, body: refundPart(payment, amount, reversible) };
    },
  };

  /** A token belongs to the commerce code that created it; for any other it does not exist. */
  const reply = (
    verb: WebpayVerb,
    token: string,
    { headers }: IncomingMessage,
    body: Record<string, unknown>,
  ): Reply => {
    const commerceCode = String(headers['tbk-api-key-id']);
    if (headers['tbk-api-key-secret'] !== keys[commerceCode]) {
      return { status: 401, body: { error_message: 'Not Authorized' } };
    }
    if (verb === 'create') return create(commerceCode, body);
    const payment = payments.get(token);
    return act[verb](payment?.commerceCode === commerceCode ? payment : undefined, body);
  };

  const plannedReply = (verb: WebpayVerb): Reply | null => {
    const at = planned.findIndex((each) => each.verb === verb);
    const [plan] = at === -1 ? [] : planned.splice(at, 1);
    return plan === undefined ? null : { status: 200, body: plan.body };
  };

  const answerCall = async (verb: WebpayVerb, token: string, request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const at = faults.findIndex((each) => each.verb === verb);
    const fault = at === -1 ? null : (faults.splice(at, 1)[0]?.fault ?? null);
    if (fault === 'stall') await hold();
    if (fault === 'stall' || fault === 'drop_request') return drop(verb, response);
    const answer =
      (fault === 'odd_refusal' ? refused('Try again') : plannedReply(verb)) ??
      (staleness(verb, fault) ? staleReply(payments.get(token)) : reply(verb, token, request, body));
    if (fault === 'drop_answer') return drop(verb, response);
    if (fault === 'late') await hold();
    const { status, sent } = distort(answer, fault);
    calls.push(`${verb} ${status}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(sent);
  };

  const staleness = (verb: WebpayVerb, fault: WebpayFault | null) => fault === 'stale' || (verb === 'status' && stale);

  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    holding.resolve();
    return promise;
  };

  const drop = (verb: WebpayVerb, response: ServerResponse) => {
    calls.push(`${verb} dropped`);
    response.destroy();
  };

  const choose = (token: string, choice: PayerChoice): string => {
    const payment = payments.get(token);
    if (payment === undefined) throw new Error('The form belongs to no payment');
    if (payment.stage === 'on form') payment.stage = STAGE_AFTER[choice];
    return `${payment.return_url}?${new URLSearchParams(broughtBack(payment, choice)).toString()}`;
  };

  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const [, token = '', refunds] = url.startsWith(API) ? url.slice(API.length).split('/') : [];
    const verb = verbOf(method, url, refunds);
    if (verb !== null) void answerCall(verb, token, request, response);
    else void answerPayer(request, response, payments, choose);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: base,
    calls,
    fail: (verb, fault) => faults.push({ verb, fault }),
    answerNext: (verb, body) => planned.push({ verb, body }),
    willBeLate: () => faults.some(({ fault }) => fault === 'late'),
    waiting: () => holding.promise,
    release: () => {
      holding = Promise.withResolvers();
      for (const answer of held.splice(0)) answer();
    },
    choose,
    reverseUncommitted: () => {
      for (const payment of payments.values()) if (payment.stage === 'authorised') payment.stage = 'reversed';
    },
    tokens: () => [...payments.keys()],
    charged: () =>
      [...payments.values()].reduce(
        (sum, { stage, amount, refunded }) => sum + (stage === 'committed' ? amount - refunded : 0),
        0,
      ),
    keepStale: (kept) => {
      stale = kept;
    },
    refundInPortal: (token, amount) => {
      const payment = payments.get(token);
      if (payment?.stage !== 'committed') throw new Error('The payment of this refund is not committed');
      refundedAmounts.push(amount);
      payment.refunded += amount;
    },
    nextDay: () => {
      reversible = false;
    },
    holdBalances: (until) => {
      for (const payment of payments.values()) {
        payment.shown = until === null ? null : { stage: payment.stage, refunded: payment.refunded };
      }
    },
    refundedAmounts: () => refundedAmounts,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const STAGE_AFTER: Record<PayerChoice, Stage> = {
  pay: 'authorised',
  decline: 'refused',
  abort: 'aborted',
  time_out: 'aborted',
  form_error: 'aborted',
};

/** Returns the fields of each of the four ways back. */
function broughtBack({ token, buy_order, session_id }: Payment, choice: PayerChoice): Record<string, string> {
  const order = { TBK_ORDEN_COMPRA: buy_order, TBK_ID_SESION: session_id };
  if (choice === 'abort') return { TBK_TOKEN: token, ...order };
  if (choice === 'time_out') return order;
  if (choice === 'form_error') return { token_ws: token, TBK_TOKEN: token, ...order };
  return { token_ws: token };
}

function verbOf(method: string, url: string, refunds: string | undefined): WebpayVerb | null {
  if (!url.startsWith(API)) return null;
  if (method === 'PUT') return 'commit';
  if (method === 'GET') return 'status';
  return refunds === 'refunds' ? 'refund' : 'create';
}

function createRefusal(body: Record<string, unknown>): string | null {
  const { buy_order, session_id, amount, return_url } = body;
  if (typeof buy_order !== 'string' || !/^[\w|=&%.,~:/?[+!@()>-]{1,26}$/.test(buy_order)) return 'buy_order';
  if (typeof session_id !== 'string' || !/^.{1,61}$/.test(session_id)) return 'session_id';
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 1) return 'amount';
  return typeof return_url === 'string' && /^https?:.{1,250}$/.test(return_url) ? null : 'return_url';
}

function staleReply(payment: Payment | undefined): Reply {
  if (payment === undefined) return refused('Invalid value for parameter: token');
  return { status: 200, body: resultOf({ ...payment, stage: 'on form' }, 'INITIALIZED') };
}

function refused(message: string): Reply {
  return { status: 422, body: { error_message: message } };
}

function resultOf(payment: Payment, statusBeforeCommit: string): Record<string, unknown> {
  const { amount, buy_order, session_id, stage } = payment;
  const start = { amount, status: statusOf(payment, statusBeforeCommit), buy_order, session_id };
  if (stage === 'on form' || stage === 'aborted' || (stage === 'authorised' && start.status === 'INITIALIZED')) {
    return { ...start, installments_number: 0 };
  }
  return {
    vci: 'TSY',
    ...start,
    card_detail: { card_number: '6623' },
    accounting_date: '0115',
    transaction_date: '2026-01-15T12:00:00.000Z',
    authorization_code: stage === 'failed' ? '000000' : '1213',
    payment_type_code: 'VN',
    response_code: stage === 'failed' ? -1 : 0,
    installments_number: 0,
    ...(payment.refunded > 0 && { balance: amount - payment.refunded }),
  };
}

function statusOf({ stage, refunded, amount }: Payment, statusBeforeCommit: string): string {
  switch (stage) {
    case 'committed':
      if (refunded === 0) return 'AUTHORIZED';
      return refunded === amount ? 'NULLIFIED' : 'PARTIALLY_NULLIFIED';
    case 'failed':
      return 'FAILED';
    case 'reversed':
      return 'REVERSED';
    case 'authorised':
      return statusBeforeCommit;
    case 'on form':
    case 'refused':
    case 'aborted':
      return 'INITIALIZED';
  }
}

function refundPart(payment: Payment, amount: number, reversible: boolean): Record<string, unknown> {
  if (reversible && amount === payment.amount) {
    payment.stage = 'reversed';
    return { type: 'REVERSED' };
  }
  payment.refunded += amount;
  return {
    type: 'NULLIFIED',
    authorization_code: '123456',
    authorization_date: '2026-01-16T12:00:00.000Z',
    nullified_amount: amount,
    balance: payment.amount - payment.refunded,
    response_code: 0,
  };
}

function distort({ status, body }: Reply, fault: WebpayFault | null): { status: number; sent: string } {
  if (fault === 'error_500') return { status: 500, sent: JSON.stringify({ error_message: 'Internal server error' }) };
  if (fault === 'malformed') return { status, sent: '{"status": "AUTHORIZED", "amount' };
  if (fault === 'other_order') return { status, sent: JSON.stringify({ ...body, buy_order: 'somebody-elses' }) };
  if (fault === 'reversed') return { status, sent: JSON.stringify({ type: 'REVERSED' }) };
  if (fault === 'other_amount') return { status, sent: JSON.stringify({ ...body, amount: 1 }) };
  return { status, sent: JSON.stringify(body) };
}

/** Sends the payer's form, or follows its buttons. */
async function answerPayer(
  request: IncomingMessage,
  response: ServerResponse,
  payments: ReadonlyMap<string, Payment>,
  choose: (token: string, choice: PayerChoice) => string,
): Promise<void> {
  const fields = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  const payment = payments.get(fields.get('token_ws') ?? '');
  if (request.method !== 'POST' || request.url !== FORM || payment === undefined) {
    response.writeHead(404).end();
    return;
  }
  const choice = fields.get('choice') as PayerChoice | null;
  if (choice !== null) {
    response.writeHead(302, { location: choose(payment.token, choice) }).end();
    return;
  }
  const buttons = Object.keys(STAGE_AFTER).map((name) => `<button name="choice" value="${name}">${name}</button>`);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
    `<!doctype html><title>Webpay stand-in</title><h1>${payment.amount}</h1>
<form method="post"><input type="hidden" name="token_ws" value="${payment.token}">${buttons.join(' ')}</form>`,
  );
}
