import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { compareWithBooks } from '../../src/books/compare-with-books.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { selectSuspense } from '../../src/movements/movement-queries.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import { resolveImported, resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { decideRefund } from '../../src/refunds/decide-refund.ts';
import { findRefusal } from '../../src/refunds/place-refund.ts';
import { selectTransactionAnywhere } from '../../src/transactions/transaction-queries.ts';
import {
  approved,
  type CheckoutCase,
  openCheckout,
  openOtherProcess,
  readAttempt,
  scriptMethod,
} from '../checkout/checkout-case.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { acceptedRefund, refundingMethod, refundsOf } from '../support/test-refunds.ts';

/** Opens an order of 12,990 CLP that two attempts paid: `paying` first; the money of `late` is in suspense. */
async function openPaidTwice(openTestDatabase: OpenTestDatabase) {
  const answers: PaymentOutcome[] = [{ kind: 'pending' }, approved];
  const start = async () => answers.shift() as PaymentOutcome;
  const method = { ...scriptMethod({ start }), refunds: refundingMethod().refunds };
  const opened = await openCheckout(openTestDatabase, { method });
  const { app, transaction } = opened;
  await startPayment(app, transaction, 'scripted');
  const late = await readAttempt(app);
  await settlePayment(app, late, { kind: 'aborted', detail: {} });
  app.now.advance(1000);
  await startPayment(app, transaction, 'scripted');
  assert.equal((await settlePayment(app, late, approved)).kind, 'conflict');
  const [paying] = await app.db.query<{ id: string }>("select id from payment_attempts where state = 'approved'");
  return { ...opened, late: late.id, paying: paying?.id ?? '' };
}

const PENDING: PaymentOutcome = { kind: 'pending' };
const DAY = 24 * 60 * 60_000;
const HEAD = 'fecha;orden_compra;codigo_autorizacion;monto;tipo';

type Opened = Pick<CheckoutCase, 'app' | 'environment'>;

/**
 * Imports lines of a file, such as `20/01/2026;A-1;1213;12990;Contracargo`. Returns what was done with each, and why.
 */
async function imported(opened: Opened, ...lines: string[]): Promise<string[]> {
  return (await planned(opened, ...lines))();
}

/** Plans the import of lines of a file. The result carries it out. */
async function planned({ app, environment: { id, environment } }: Opened, ...lines: string[]) {
  const file = [HEAD, ...lines].join('\n');
  const scope = { environmentId: id, environment, method: 'scripted' };
  const steps = await planImport(app, scope, await readSettlement(Readable.from([file])));
  const evidence = describeEvidence('settled.csv', Buffer.from(file));
  return async () => {
    const done = await importPayments(app, scope, steps, { evidence, by: TESTER });
    return done.map(({ does, note }) => (note === '' ? does : `${does}: ${note}`));
  };
}

/** Returns what the merchant and the acquirer are owed according to the verified books, and the suspense. */
async function sumsOf({ app }: Opened) {
  assert.deepEqual((await verifyStore(app)).findings, []);
  const rows = await app.db.query<{ account: string; sum: number }>(
    'select account, cast(sum(debits - credits) as bigint) as sum from account_balances group by account',
  );
  const sums = new Map(rows.map(({ account, sum }) => [account, sum]));
  const of = (account: string) => sums.get(account) ?? 0;
  return { owed: -of('merchant:payable'), collected: of('method:scripted:receivable'), suspense: of('suspense') };
}

const BOOKED = 'suspense: a chargeback: bin/rubrica books resolve decides who bears it';
const UNASKED = 'suspense: a refund that this service did not make: bin/rubrica books resolve decides who bears it';
const MORE = 'left: a chargeback of more than is left of the payment: bin/rubrica reconcile';

forEachEngine('a chargeback of money that pays no order', (openTestDatabase) => {
  test('is left until a person has decided about that money, and then booked without the refunds of the order', async () => {
    const opened = await openPaidTwice(openTestDatabase);
    const { app, environment, transaction, late } = opened;
    const line = `20/01/2026;${late};1213;12990;Contracargo`;
    assert.deepEqual(await imported(opened, line), [
      'left: a chargeback of money in suspense: bin/rubrica books resolve',
    ]);
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'two parcels', by: TESTER });
    assert.deepEqual(await sumsOf(opened), { owed: 25_980, collected: 25_980, suspense: 0 });
    assert.deepEqual(await imported(opened, line), [BOOKED]);
    assert.deepEqual(await imported(opened, line), ['imported']);
    assert.deepEqual(await imported(opened, `21/01/2026;${late};1213;1;Contracargo`), [MORE]);
    const [waiting] = (await listAttention(app, null, 10)).filter(({ kind }) => kind === 'suspense');
    const [, entry = ''] = /--entry \d+\/(\S+)/.exec(waiting?.command ?? '') ?? [];
    assert.equal(waiting?.amount, 12_990);
    const place = { environmentId: environment.id, link: Number.parseInt(entry, 10), entry };
    await resolveImported(app, place, { decision: 'kept', entry, reason: 'lost', by: TESTER });
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_990, suspense: 0 });
    const paid = await selectTransactionAnywhere(app.db, transaction.id);
    assert.ok(paid);
    assert.equal(await findRefusal(app, paid, { amount: null, type: 'total' }), null, 'the other payment is untouched');
    const events = await app.db.query("select data from events where type = 'transaction.conflict' order by position");
    assert.match(String(events.at(-1)?.data), /"charged_back":"12990\.00".*"event":"chargeback"/);
  });

  test('ends with the decision that the money went back, which the file then shows', async () => {
    const opened = await openPaidTwice(openTestDatabase);
    await resolveSuspense(opened.app, opened.transaction.id, { decision: 'returned', reason: 'disputed', by: TESTER });
    const [line, later] = ['15', '20'].map((day) => `${day}/01/2026;${opened.late};1213;12990;Contracargo`);
    assert.deepEqual(await imported(opened, line ?? ''), ['left: money that was refunded: bin/rubrica reconcile']);
    assert.deepEqual(await imported(opened, later ?? ''), [
      'left: a chargeback of money that went back: bin/rubrica reconcile',
    ]);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_990, suspense: 0 });
  });

  test('is booked in parts up to the amount of unknown money that a person has kept', async () => {
    const opened = await openCheckout(openTestDatabase);
    const { app, environment } = opened;
    assert.deepEqual(await imported(opened, '15/01/2026;LOST-1;77;5000;Venta'), ['suspense: no payment of ours']);
    const [part, other] = ['20/01/2026;LOST-1;77;2000;Contracargo', '25/01/2026;LOST-1;77;3001;Contracargo'];
    assert.deepEqual(await imported(opened, part), [
      'left: a chargeback of money in suspense: bin/rubrica books resolve',
    ]);
    const place = { environmentId: environment.id, link: 1, entry: '1.0' };
    await resolveImported(app, place, { decision: 'kept', entry: '1.0', reason: 'the backup lost it', by: TESTER });
    assert.deepEqual(await imported(opened, part), [BOOKED]);
    assert.deepEqual(await imported(opened, other), [MORE]);
    const rest = other.replace('3001', '3000').replace('Contracargo', 'Anulación');
    assert.deepEqual(await imported(opened, rest), [
      BOOKED.replace('chargeback', 'refund of money that pays no order'),
    ]);
    assert.deepEqual(await imported(opened, rest), ['imported']);
    assert.deepEqual(await imported(opened, part.replace('LOST-1', 'LOST-2')), [
      'left: a chargeback of no payment of ours',
    ]);
    assert.deepEqual(await sumsOf(opened), { owed: 5000, collected: 0, suspense: 5000 });
  });
});

forEachEngine('a chargeback of late money after an earlier one was won', (openTestDatabase) => {
  test('is booked as of the payment of an order: its money came back', async () => {
    const opened = await openPaidTwice(openTestDatabase);
    const { app, environment, transaction, late, paying } = opened;
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'two parcels', by: TESTER });
    for (const attempt of [paying, late]) {
      const lines = ['20/01', '25/02'].map((day) => `${day}/2026;${attempt};1213;12990;Contracargo`) as [
        string,
        string,
      ];
      assert.deepEqual(await imported(opened, lines[0]), [BOOKED]);
      assert.deepEqual(await imported(opened, ...lines), ['imported', MORE]);
      const [{ entry, transaction_id } = { entry: '', transaction_id: null }] = (
        await selectSuspense(app.db, 5)
      ).filter(({ decision }) => decision === null);
      const won = { decision: 'returned', entry, reason: 'won', by: TESTER } as const;
      if (transaction_id !== null) await resolveSuspense(app, transaction_id, won);
      else await resolveImported(app, { environmentId: environment.id, link: Number.parseInt(entry, 10), entry }, won);
      assert.deepEqual(await imported(opened, ...lines), ['imported', BOOKED]);
    }
    assert.deepEqual(await sumsOf(opened), { owed: 25_980, collected: 0, suspense: 25_980 });
  });
});

forEachEngine('a chargeback of late money whose method has no buy orders', (openTestDatabase) => {
  test('is booked up to its amount, whether a file names the attempt or the transaction', async () => {
    const method = { ...scriptMethod({ start: async () => PENDING }), hasNoBuyOrders: true as const };
    const opened = await openCheckout(openTestDatabase, { method });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const evidence = describeEvidence('settled.csv', Buffer.from('9990'));
    const wish = { outcome: 'approved', taken: 9990, reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decidePayment(app, id, wish), 'decided');
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'delivered', by: TESTER });
    assert.deepEqual(await imported(opened, `20/01/2026;${id};1213;2000;Contracargo`), [BOOKED]);
    assert.deepEqual(await imported(opened, `22/01/2026;${transaction.id};1213;7991;Contracargo`), [MORE]);
    assert.deepEqual(await imported(opened, `22/01/2026;${transaction.id};1213;7990;Contracargo`), [BOOKED]);
    assert.deepEqual(await sumsOf(opened), { owed: 9990, collected: 0, suspense: 9990 });
  });
});

forEachEngine('a chargeback of the attempt that pays an order', (openTestDatabase) => {
  test('is booked also if the order was paid twice, whatever was decided about the other money', async () => {
    const opened = await openPaidTwice(openTestDatabase);
    const { app, transaction, paying } = opened;
    const line = `20/01/2026;${paying};1213;12990;Contracargo`;
    assert.deepEqual(await imported(opened, line), [BOOKED]);
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'one payment is left', by: TESTER });
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_990, suspense: 0 });
    const byOrder = line.replace(paying, String(transaction.id)).replace('20/', '22/');
    assert.deepEqual(await imported(opened, byOrder), [
      'left: a chargeback of an order that was paid twice or overpaid',
    ]);
  });
});

forEachEngine('a chargeback that a file has twice', (openTestDatabase) => {
  test('is booked once, and the second line waits for a person in every import of the file', async () => {
    const opened = await openCheckout(openTestDatabase, { method: scriptMethod() });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const { id } = await readAttempt(opened.app);
    const [line, other] = [`20/01/2026;${id};1213;500;Contracargo`, `20/01/2026;${id};77;500;Contracargo`];
    const left = 'left: money that was refunded: bin/rubrica reconcile';
    assert.deepEqual(await imported(opened, line, line), [BOOKED, left]);
    assert.deepEqual(await imported(opened, line, line), ['imported', left]);
    assert.deepEqual(await imported(opened, other, line), [left, 'imported']);
    assert.deepEqual(await imported(opened, line), ['imported']);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_490, suspense: 500 });
  });
});

forEachEngine('a chargeback of the amount of a refund without an answer', (openTestDatabase) => {
  test('stays in suspense when a person says that the refund was made: both took money back', async () => {
    const refunds = refundingMethod({ request: async () => ({ kind: 'unknown' }) }).refunds;
    const opened = await openCheckout(openTestDatabase, { method: { ...scriptMethod(), refunds } });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const refund = await acceptedRefund(app, transaction, 500);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await imported(opened, `20/01/2026;${id};1213;500;Contracargo`), [BOOKED]);
    const evidence = describeEvidence('portal.pdf', Buffer.from('500'));
    const made = { outcome: 'completed', reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decideRefund(app, refund.id, made), 'decided');
    assert.deepEqual(await sumsOf(opened), { owed: 12_490, collected: 11_990, suspense: 500 });
  });

  test('is no reason to leave a refund from the file in suspense, which may be the one that was made', async () => {
    const opened = await openCheckout(openTestDatabase, {
      method: { ...scriptMethod(), refunds: refundingMethod().refunds },
    });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    assert.deepEqual(await imported(opened, `20/01/2026;${id};1213;500;Anulación`), [UNASKED]);
    const refund = await acceptedRefund(app, transaction, 500);
    await carryOutRefunds(app, 10);
    const evidence = describeEvidence('portal.pdf', Buffer.from('500'));
    const made = { outcome: 'completed', reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decideRefund(app, refund.id, made), 'decided');
    assert.deepEqual(await sumsOf(opened), { owed: 12_490, collected: 12_490, suspense: 0 });
  });
});

forEachEngine('money of no known payment that went back', (openTestDatabase) => {
  test('is the line of the file that has its buy order: what was returned, and a chargeback that was won', async () => {
    const opened = await openCheckout(openTestDatabase);
    const { app, environment } = opened;
    const compared = async (...lines: string[]) => {
      const settlement = await readSettlement(Readable.from([[HEAD, ...lines].join('\n')]));
      const file = await compareWithBooks(app, [environment.id], 'scripted', settlement);
      return file?.compared.map(({ kind, line }) => [kind, line?.kind ?? null]);
    };
    const decide = (link: number, decision: 'kept' | 'returned') => {
      const place = { environmentId: environment.id, link, entry: `${link}.0` };
      return resolveImported(app, place, { decision, entry: place.entry, reason: 'portal', by: TESTER });
    };
    const sold = ['LOST-1', 'LOST-2'].map((order) => `15/01/2026;${order};77;5000;Venta`);
    await imported(opened, ...sold);
    await decide(1, 'returned');
    await decide(2, 'kept');
    const taken = '15/01/2026;LOST-2;77;5000;Contracargo';
    assert.deepEqual(await imported(opened, taken), [BOOKED]);
    await decide(5, 'returned');
    const file = [
      ...sold,
      '15/01/2026;LOST-1;77;5000;Anulación',
      taken,
      '15/01/2026;LOST-2;77;5000;Contracargo ganado',
    ];
    assert.deepEqual(await compared(...file), [
      ['matched', 'late_payment'],
      ['matched', 'late_payment'],
      ['matched', 'returned'],
      ['matched', 'unasked_refund'],
      ['matched', 'recovered'],
    ]);
    app.now.advance(10 * DAY);
    assert.deepEqual(await compared(...file), await compared(...file.toReversed()).then((all) => all?.toReversed()));
    assert.deepEqual(await sumsOf(opened), { owed: 5000, collected: 5000, suspense: 0 });
  });
});

forEachEngine('a chargeback of the amount of a refund of the day before', (openTestDatabase) => {
  test('is missing in the books until it is imported, and hides no refund from then on', async () => {
    const opened = await openCheckout(openTestDatabase, {
      method: { ...scriptMethod(), refunds: refundingMethod().refunds },
    });
    const { app, environment, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    await acceptedRefund(app, transaction, 500);
    await carryOutRefunds(app, 10);
    const compared = async (line: string) => {
      const file = await compareWithBooks(
        app,
        [environment.id],
        'scripted',
        await readSettlement(Readable.from([`${HEAD}\n${line}`])),
      );
      return file?.compared.map(({ kind, line }) => [kind, line?.kind ?? null]);
    };
    const charged = `16/01/2026;${id};;500;Contracargo`;
    const portal = `17/01/2026;${id};;500;Anulación`;
    assert.deepEqual(await compared(charged), [['missing_in_books', null]]);
    assert.deepEqual(await imported(opened, charged), [BOOKED]);
    assert.deepEqual(await imported(opened, charged), ['imported']);
    assert.deepEqual(await compared(charged), [['matched', 'unasked_refund']]);
    assert.deepEqual(await compared(portal), [['missing_in_books', null]]);
    assert.deepEqual(await sumsOf(opened), { owed: 12_490, collected: 11_990, suspense: 500 });
  });
});

forEachEngine('a refund in the portal of a payment with two open refunds', (openTestDatabase) => {
  test('is one amount in suspense if it is the second one, which takes it out when a person settles it', async () => {
    const { refunds } = refundingMethod({ lookup: async () => ({ kind: 'absent', refunded: 500 }) });
    const opened = await openCheckout(openTestDatabase, { method: { ...scriptMethod(), refunds } });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    await acceptedRefund(app, transaction, 132);
    const same = await acceptedRefund(app, transaction, 500);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_490, suspense: 500 });
    const evidence = describeEvidence('portal.pdf', Buffer.from('500'));
    const made = { outcome: 'completed', reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decideRefund(app, same.id, made), 'decided');
    assert.deepEqual(await sumsOf(opened), { owed: 12_490, collected: 12_490, suspense: 0 });
  });
});

forEachEngine('refunds in the portal of a payment with several open refunds', (openTestDatabase) => {
  const TAKEN_OUT: [name: string, first: number, inPortal: number[], other: number, answer: 'absent' | 'approved'][] = [
    ['the first refund is not among them', 132, [500, 300], 0, 'absent'],
    ['the first refund is larger', 900, [500, 300], 0, 'absent'],
    ['more was refunded', 132, [500, 300], 7, 'absent'],
    ['more was refunded, and the first refund is larger', 900, [500, 300], 7, 'absent'],
    ['more was refunded, and the first refund was made', 132, [500, 300], 7, 'approved'],
  ];
  for (const [name, first, inPortal, other, answer] of TAKEN_OUT)
    test(`are each an amount in suspense, which a person takes out by settling its refund: ${name}`, async () => {
      const isMade = answer === 'approved';
      const refunded = 800 + other + (isMade ? first : 0);
      const said = isMade ? { kind: answer, detail: {}, refunded } : { kind: answer, refunded };
      let looks = 0;
      const lookup = async () => (looks++ === 0 ? said : ({ kind: 'absent', refunded } as const));
      const opened = await openCheckout(openTestDatabase, {
        method: { ...scriptMethod(), refunds: refundingMethod({ lookup }).refunds },
      });
      const { app, transaction } = opened;
      await startPayment(app, transaction, 'scripted');
      await acceptedRefund(app, transaction, first);
      const made = [];
      for (const amount of inPortal) made.push(await acceptedRefund(app, transaction, amount));
      await carryOutRefunds(app, 10);
      const collected = 12_990 - refunded;
      assert.deepEqual(await sumsOf(opened), { owed: collected + 800 + other, collected, suspense: 800 + other });
      const evidence = describeEvidence('portal.pdf', Buffer.from('800'));
      for (const { id } of made)
        await decideRefund(app, id, { outcome: 'completed', reason: 'in the portal', evidence, by: TESTER });
      assert.deepEqual(await sumsOf(opened), { owed: collected + other, collected, suspense: other });
    });
});

forEachEngine('a refund of this service whose answer was lost', (openTestDatabase) => {
  test('is in the comparison of the day of its request, and one that was requested later is not', async () => {
    const { refunds } = refundingMethod({ request: async () => ({ kind: 'unknown' }) });
    const opened = await openCheckout(openTestDatabase, { method: { ...scriptMethod(), refunds } });
    const { app, environment, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const compared = async (...lines: string[]) => {
      const settlement = await readSettlement(
        Readable.from([[HEAD, `15/01/2026;${id};;12990;Venta`, ...lines].join('\n')]),
      );
      const file = await compareWithBooks(app, [environment.id], 'scripted', settlement);
      return file?.compared.slice(1).map(({ kind, line, differs }) => [kind, line?.kind ?? null, ...differs]);
    };
    const settleNow = async ({ id: refund }: { id: string }) => {
      await carryOutRefunds(app, 10);
      app.now.advance(6 * DAY);
      const evidence = describeEvidence('portal.pdf', Buffer.from('500'));
      const made = { outcome: 'completed', reason: 'in the portal', evidence, by: TESTER } as const;
      assert.equal(await decideRefund(app, refund, made), 'decided');
    };
    const [first, second] = ['15', '21'].map((day) => `${day}/01/2026;${id};;500;Anulación`) as [string, string];
    await settleNow(await acceptedRefund(app, transaction, 500));
    const [late, missing] = [
      ['different', 'refund', 'date'],
      ['missing_in_books', null],
    ];
    assert.deepEqual(await compared(first), [late]);
    assert.deepEqual(await compared(first.replace('500', '501')), [missing]);
    await settleNow(await acceptedRefund(app, transaction, 500));
    assert.deepEqual(await compared(first, first), [late, missing], 'the second refund was requested later');
    assert.deepEqual(await compared(first, second), [late, late]);
  });
});

forEachEngine('a refund of a payment of which a chargeback took a part', (openTestDatabase) => {
  const open = async (decision: 'kept' | 'returned' | null) => {
    const bank = { gone: 0 };
    const { refunds } = refundingMethod({
      request: async ({ amount }) => {
        bank.gone += amount;
        return { kind: 'approved', detail: {}, refunded: bank.gone };
      },
      lookup: async ({ askedAt }) => ({
        ...(askedAt === null ? { kind: 'absent' } : { kind: 'approved', detail: {} }),
        refunded: bank.gone,
      }),
    });
    const opened = await openCheckout(openTestDatabase, { method: { ...scriptMethod(), refunds } });
    const { app, transaction } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const chargeBack = async () => {
      assert.deepEqual(await imported(opened, `20/01/2026;${id};1213;7000;Contracargo`), [BOOKED]);
      if (decision === null) return;
      await resolveSuspense(app, transaction.id, { decision, reason: 'the bank said so', by: TESTER });
    };
    const waiting = async () => (await listAttention(app, 'refund', 10)).map(({ amount }) => amount);
    return { ...opened, bank, chargeBack, waiting };
  };

  for (const [decision, owed] of [
    ['kept', 4990],
    ['returned', 11_990],
  ] as const)
    test(`is requested and looked up although its method knows of no chargeback (${decision})`, async () => {
      const { app, transaction, chargeBack, waiting, ...opened } = await open(decision);
      await chargeBack();
      await acceptedRefund(app, transaction, 1000);
      await carryOutRefunds(app, 10);
      assert.deepEqual(await refundsOf(app, transaction), [['completed', 1000]]);
      for (let look = 0; look < 3; look++) {
        app.now.advance(2 * DAY);
        await carryOutRefunds(app, 10);
      }
      assert.deepEqual(await waiting(), []);
      assert.deepEqual(await sumsOf({ app, ...opened }), { owed, collected: owed, suspense: 0 });
    });

  test('shows money that somebody refunded at the method, which the chargeback does not explain', async () => {
    const { app, transaction, chargeBack, waiting, bank, ...opened } = await open(null);
    await acceptedRefund(app, transaction, 1000);
    await carryOutRefunds(app, 10);
    await chargeBack();
    bank.gone += 500;
    app.now.advance(2 * DAY);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await waiting(), []);
    assert.deepEqual(await sumsOf({ app, ...opened }), { owed: 11_990, collected: 4490, suspense: 7500 });
  });
});

forEachEngine('money taken back of an order whose excess a person has kept', (openTestDatabase) => {
  const open = async () => {
    const method = { ...scriptMethod({ start: async () => PENDING }), refunds: refundingMethod().refunds };
    const opened = await openCheckout(openTestDatabase, { method });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const { id } = await readAttempt(opened.app);
    const evidence = describeEvidence('settled.csv', Buffer.from('15000'));
    const wish = { outcome: 'approved', taken: 15_000, reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decidePayment(opened.app, id, wish), 'decided');
    const kept = { decision: 'kept', reason: 'the merchant keeps it', by: TESTER } as const;
    await resolveSuspense(opened.app, opened.transaction.id, kept);
    return { ...opened, id, kept };
  };

  test('is booked up to all that was taken, and then nothing is left to refund', async () => {
    const opened = await open();
    const { app, transaction, id, kept } = opened;
    assert.deepEqual(await imported(opened, `26/01/2026;${id};1213;15001;Contracargo`), [MORE]);
    const whole = `25/01/2026;${id};1213;15000;Contracargo`;
    assert.deepEqual(await imported(opened, whole), [BOOKED]);
    assert.deepEqual(await imported(opened, whole), ['imported']);
    assert.deepEqual(await sumsOf(opened), { owed: 15_000, collected: 0, suspense: 15_000 });
    await resolveSuspense(app, transaction.id, kept);
    assert.deepEqual(await sumsOf(opened), { owed: -0, collected: 0, suspense: 0 });
    const paid = await selectTransactionAnywhere(app.db, transaction.id);
    assert.ok(paid);
    assert.equal((await findRefusal(app, paid, { amount: null, type: 'total' }))?.code, 'ALREADY_REFUNDED');
    const read = await readSettlement(Readable.from([`${HEAD}\n${whole}`]));
    const found = await compareWithBooks(app, [opened.environment.id], 'scripted', read);
    const row = found?.compared.find(({ row }) => row !== null);
    assert.deepEqual([row?.kind, row?.line?.amount], ['matched', 15_000]);
  });

  test('is booked in parts, and a part of the order stays refundable only if it is left', async () => {
    const opened = await open();
    const { app, transaction, id, kept } = opened;
    const [part, rest] = [`25/01/2026;${id};1213;2010;Contracargo`, `26/01/2026;${id};1213;12990;Contracargo`];
    assert.deepEqual(await imported(opened, part), [BOOKED]);
    await resolveSuspense(app, transaction.id, kept);
    const paid = await selectTransactionAnywhere(app.db, transaction.id);
    assert.ok(paid);
    assert.equal((await findRefusal(app, paid, { amount: 12_990, type: 'total' }))?.code, 'REFUND_AMOUNT_TOO_HIGH');
    assert.deepEqual(await imported(opened, rest), [BOOKED]);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 0, suspense: 12_990 });
  });

  test('is booked also as a refund that somebody made at the acquirer', async () => {
    const opened = await open();
    const { app, transaction, id, kept } = opened;
    const line = (amount: number) => `25/01/2026;${id};1213;${amount};Anulación`;
    assert.deepEqual(await imported(opened, line(15_001)), ['left: money that was refunded: bin/rubrica reconcile']);
    assert.deepEqual(await imported(opened, line(15_000)), [UNASKED]);
    await resolveSuspense(app, transaction.id, kept);
    assert.deepEqual(await sumsOf(opened), { owed: -0, collected: 0, suspense: 0 });
  });
});

forEachEngine('a refund that somebody made at the acquirer', (openTestDatabase) => {
  const open = async () => {
    const found: { refunded?: number } = {};
    const lookup = async () => ({ kind: 'absent' as const, ...found });
    const method = { ...scriptMethod(), refunds: refundingMethod({ lookup }).refunds };
    const opened = await openCheckout(openTestDatabase, { method });
    await startPayment(opened.app, opened.transaction, 'scripted');
    return { ...opened, id: (await readAttempt(opened.app)).id, found };
  };
  const LEFT = 'left: money that was refunded: bin/rubrica reconcile';

  test('is booked to suspense in parts, never more than is left, and a person decides who bears it', async () => {
    const opened = await open();
    const { app, transaction, id } = opened;
    const [part, rest] = [`20/01/2026;${id};1213;2000;Anulación`, `21/01/2026;${id};1213;-990;Reversa`];
    assert.deepEqual(await imported(opened, part, rest), [UNASKED, UNASKED]);
    assert.deepEqual(await imported(opened, part, rest), ['imported', 'imported'], 'once');
    assert.deepEqual(await imported(opened, `22/01/2026;${id};1213;10001;Reembolso`), [LEFT]);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 10_000, suspense: 2990 });
    const paid = await selectTransactionAnywhere(app.db, transaction.id);
    assert.ok(paid);
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'the shop asked for it', by: TESTER });
    assert.deepEqual(await sumsOf(opened), { owed: 10_000, collected: 10_000, suspense: 0 });
    assert.equal(await findRefusal(app, paid, { amount: 10_000, type: 'parcial' }), null);
    assert.equal((await findRefusal(app, paid, { amount: 10_001, type: 'parcial' }))?.code, 'REFUND_AMOUNT_TOO_HIGH');
    const [event] = await app.db.query("select data from events where type = 'transaction.conflict' order by position");
    assert.deepEqual(JSON.parse(String(event?.data)), {
      unasked: '2000.00',
      currency: 'CLP',
      state: 'completed',
      event: 'refund_unasked',
    });
  });

  test('is left to a person if it may be a refund of this service, or a chargeback', async () => {
    const opened = await open();
    const { app, transaction, id } = opened;
    const line = (amount: number, type: string) => `20/01/2026;${id};1213;${amount};${type}`;
    assert.deepEqual(await imported(opened, line(12_990, 'Reversa de contracargo')), [LEFT]);
    assert.deepEqual(await imported(opened, line(500, 'Contracargo')), [BOOKED]);
    for (const amount of [-500, -290]) assert.deepEqual(await imported(opened, line(amount, 'Comisión')), [LEFT]);
    assert.deepEqual(await imported(opened, line(600, 'Anulación')), [UNASKED]);
    assert.deepEqual(await imported(opened, line(600, 'Contracargo')), [LEFT], 'perhaps the same line');
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'decided', by: TESTER });
    await acceptedRefund(app, transaction, 3000);
    assert.deepEqual(await imported(opened, line(700, 'Anulación')), [LEFT], 'a refund is under way');
    await carryOutRefunds(app, 10);
    assert.deepEqual(await imported(opened, line(700, 'Anulación')), [LEFT], 'one of another amount was made');
  });

  test('is left to a person if it may be the return of money that its order did not ask for', async () => {
    const { paying, ...twice } = await openPaidTwice(openTestDatabase);
    await resolveSuspense(twice.app, twice.transaction.id, { decision: 'returned', reason: 'annulled', by: TESTER });
    assert.deepEqual(await imported(twice, `25/01/2026;${paying};1213;12990;Anulación`), [LEFT]);
    assert.deepEqual(await sumsOf(twice), { owed: 12_990, collected: 12_990, suspense: 0 });
    const opened = await openCheckout(openTestDatabase, { method: scriptMethod({ start: async () => PENDING }) });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const { id } = await readAttempt(opened.app);
    const evidence = describeEvidence('settled.csv', Buffer.from('15000'));
    const wish = { outcome: 'approved', taken: 15_000, reason: 'in the portal', evidence, by: TESTER } as const;
    assert.equal(await decidePayment(opened.app, id, wish), 'decided');
    for (const [type, left] of [
      ['Anulación', LEFT],
      ['Contracargo', 'left: a chargeback of an order that was paid twice or overpaid'],
    ])
      assert.deepEqual(await imported(opened, `25/01/2026;${id};1213;2010;${type}`), [left]);
    await resolveSuspense(opened.app, opened.transaction.id, { decision: 'returned', reason: 'annulled', by: TESTER });
    for (const [type, left] of [
      ['Anulación', LEFT],
      ['Contracargo', 'left: a chargeback of an order that was paid twice or overpaid'],
    ])
      assert.deepEqual(await imported(opened, `25/01/2026;${id};1213;2010;${type}`), [left]);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 12_990, suspense: 0 });
    assert.deepEqual(await imported(opened, `26/01/2026;${id};1213;15000;Contracargo`), [MORE]);
    assert.deepEqual(await imported(opened, `26/01/2026;${id};1213;12990;Contracargo`), [BOOKED], 'of the order');
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 0, suspense: 12_990 });
  });

  test('is booked as often as one file has it, and once for each line of later files', async () => {
    const opened = await open();
    opened.app.now.advance(7 * 24 * 60 * 60_000);
    const [day, next] = ['20', '21'].map((date) => `${date}/01/2026;${opened.id};1213;500;Anulación`) as [
      string,
      string,
    ];
    assert.deepEqual(await imported(opened, day, day), [UNASKED, UNASKED]);
    assert.deepEqual(await imported(opened, day, day), ['imported', 'imported']);
    assert.deepEqual(await imported(opened, day), ['imported'], 'a file of a part of the day');
    assert.deepEqual(await imported(opened, next), [LEFT], 'perhaps one of them, by its accounting day');
    assert.deepEqual(await imported(opened, day, next, day, day), ['imported', UNASKED, 'imported', UNASKED]);
    const coded = ['', '1213', '77', ''].map((code) => day.replace('1213', code));
    const three = await imported(opened, ...coded.slice(0, 3));
    assert.deepEqual(three, ['imported', 'imported', LEFT], 'a line with another code may be one of them');
    const all = [next, ...coded];
    const fourth = ['imported', 'imported', 'imported', UNASKED, 'imported'];
    assert.deepEqual(await imported(opened, ...all), fourth, 'the file explains all others');
    assert.deepEqual(await imported(opened, ...all), Array(5).fill('imported'));
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 10_490, suspense: 2500 });
    await resolveSuspense(opened.app, opened.transaction.id, { decision: 'kept', reason: 'ours', by: TESTER });
    const rest = day.replace('500', '6000');
    assert.deepEqual(await imported(opened, rest, rest), [UNASKED, LEFT], 'never more than is left');
    assert.deepEqual(await imported(opened, rest, rest), ['imported', LEFT], 'and the other one stays visible');
    assert.deepEqual(await sumsOf(opened), { owed: 10_490, collected: 4490, suspense: 6000 });
  });

  test('is booked as often as a file has it, also if two imports of the file run at the same time', async () => {
    const opened = await open();
    const other = { ...opened, app: await openOtherProcess(openTestDatabase, opened) };
    const line = `20/01/2026;${opened.id};1213;500;Anulación`;
    const [one, two, part] = [
      await planned(opened, line, line),
      await planned(other, line, line),
      await planned(other, line),
    ];
    const done = await Promise.all([one(), two(), part()]);
    const does = done.flat().map((one) => one.replace(/:.*/, ''));
    assert.deepEqual(does.toSorted(), ['imported', 'imported', 'imported', 'suspense', 'suspense']);
    assert.deepEqual(await imported(opened, line, line), ['imported', 'imported']);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 11_990, suspense: 1000 });
  });

  test('is left to a person weeks later, if it may be an imported one with another day or name', async () => {
    for (const [type, booked] of [
      ['Anulación', UNASKED],
      ['Contracargo', BOOKED],
    ] as const) {
      const opened = await open();
      opened.app.now.advance(40 * 24 * 60 * 60_000);
      const [line, next] = ['20', '21'].map((date) => `${date}/01/2026;${opened.id};1213;500;${type}`) as [
        string,
        string,
      ];
      const byTransaction = line.replace(opened.id, String(opened.transaction.id));
      const race = await planned(opened, next);
      assert.deepEqual(await imported(opened, line), [booked]);
      assert.deepEqual(await race(), ['left: perhaps a line that was taken over before']);
      for (const perhaps of [next, byTransaction]) assert.deepEqual(await imported(opened, perhaps), [LEFT], perhaps);
      assert.deepEqual(await imported(opened, next, line), [booked, 'imported'], 'the file has both');
      assert.deepEqual(await imported(opened, next, line), ['imported', 'imported']);
      assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 11_990, suspense: 1000 });
    }
  });

  test('is booked once if another import of one of two equal lines was first', async () => {
    const opened = await open();
    const line = `20/01/2026;${opened.id};1213;500;Anulación`;
    const other = line.replace('1213', '77');
    const both = await planned(opened, line, other);
    assert.deepEqual(await imported(opened, other), [UNASKED]);
    assert.deepEqual(await both(), ['left: perhaps a line that was taken over before', 'imported']);
    assert.deepEqual(await imported(opened, line, other), [UNASKED, 'imported'], 'as a new plan says');
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 11_990, suspense: 1000 });
  });

  test('is left to a person if a second payment of its order arrives while the file is imported', async () => {
    const answers: PaymentOutcome[] = [PENDING, approved];
    const method = { ...scriptMethod({ start: async () => answers.shift() as PaymentOutcome }) };
    const opened = await openCheckout(openTestDatabase, { method });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const late = await readAttempt(opened.app);
    await settlePayment(opened.app, late, { kind: 'aborted', detail: {} });
    opened.app.now.advance(1000);
    await startPayment(opened.app, opened.transaction, 'scripted');
    const [paying] = await opened.app.db.query("select id from payment_attempts where state = 'approved'");
    const line = `20/01/2026;${paying?.id};1213;2000;Anulación`;
    const carryOut = await planned(opened, line);
    assert.equal((await settlePayment(opened.app, late, approved)).kind, 'conflict');
    assert.deepEqual(await carryOut(), [LEFT]);
    assert.deepEqual(await imported(opened, line), [LEFT], 'as a new plan says');
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 25_980, suspense: -12_990 });
  });

  test('is in the comparison of its day also if the service noticed it weeks later, with the other day', async () => {
    const opened = await open();
    const { app, environment, transaction, id } = opened;
    const compared = async (...lines: string[]) => {
      const read = await readSettlement(Readable.from([[HEAD, ...lines].join('\n')]));
      const found = await compareWithBooks(app, [environment.id], 'scripted', read);
      return found?.compared.map(({ kind, differs, line }) => [kind, line?.kind ?? null, ...differs]);
    };
    const portal = `16/01/2026;${id};;2000;Anulación`;
    assert.deepEqual(await compared(portal), [['missing_in_books', null]]);
    app.now.advance(20 * DAY);
    opened.found.refunded = 2000;
    await acceptedRefund(app, transaction, 2500);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await sumsOf(opened), { owed: 12_990, collected: 10_990, suspense: 2000 });
    assert.deepEqual(await compared(portal), [['different', 'unasked_refund', 'date']]);
    const others = [
      portal.replace('2000', '1999'),
      portal.replace(id, 'A-1'),
      portal.replace('Anulación', 'Contracargo'),
    ];
    for (const other of others) assert.deepEqual(await compared(other), [['missing_in_books', null]], other);
    assert.deepEqual(await compared(portal, portal.replace('16/', '17/')), [
      ['different', 'unasked_refund', 'date'],
      ['missing_in_books', null],
    ]);
    const charged = `20/02/2026;${id};;700;Contracargo`;
    await resolveSuspense(app, transaction.id, { decision: 'kept', reason: 'the shop did it', by: TESTER });
    assert.deepEqual(await imported(opened, charged), [BOOKED]);
    const sameMoney = charged.replace('20/02', '16/01');
    assert.deepEqual(
      await compared(sameMoney),
      [['missing_in_books', null]],
      'the file says that it is of another day',
    );
    const later = portal.replace('16/01', '20/03');
    assert.deepEqual(await compared(later), [['missing_in_books', null]], 'an earlier entry may be of another refund');
  });

  test('is left to a person if a refund is requested while the file is imported', async () => {
    const opened = await open();
    const { app, environment, transaction, id } = opened;
    const file = `${HEAD}\n20/01/2026;${id};1213;2000;Anulación`;
    const scope = { environmentId: environment.id, environment: environment.environment, method: 'scripted' };
    const steps = await planImport(app, scope, await readSettlement(Readable.from([file])));
    await acceptedRefund(app, transaction, 2000);
    const evidence = describeEvidence('settled.csv', Buffer.from(file));
    const done = await importPayments(app, scope, steps, { evidence, by: TESTER });
    assert.deepEqual(
      done.map(({ does, note }) => `${does}: ${note}`),
      [LEFT],
    );
  });
});
