import { setTimeout } from 'node:timers/promises';
import type { Database, InsertTarget, SqlRow, Tx } from '../../../src/db/database.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import { resolveSuspense } from '../../../src/movements/resolve-suspense.ts';
import { loadEnvironment } from '../../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../../src/refunds/carry-out-refunds.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../../support/test-books.ts';
import { deposit, payOut } from '../../support/test-movements.ts';
import { refund } from '../../support/test-refunds.ts';

// Started by books-under-kills.ts: records payments, refunds and movements until it is killed. Prints a letter for
// each: p for a payment, r for its refunds, m for movements.
const [url = '', serviceToken = '', plant = ''] = process.argv.slice(2);
const opened = openDatabase(url, { connections: 6, pooler: false, onFatal: () => process.exit(70) });
const app = createTestApp(plant === '' ? opened : bookingAfterwards(opened));
const environment = (await loadEnvironment(app, serviceToken)) as ServiceEnvironment;
await Promise.all([payAndRefund(), payAndRefund(), payAndRefund(), moveMoney(), work()]);

async function payAndRefund(): Promise<void> {
  for (let order = 0; ; order++) {
    const reference = `${process.pid}-${order}-${app.random()}`;
    const paid = await createPaidTransaction(app, environment, { reference, amount: 12_000 });
    process.stdout.write('p');
    await Promise.all([refund(app, paid, 5000), refund(app, paid, 12_000), refund(app, paid, 5001)]);
    process.stdout.write('r');
  }
}

async function moveMoney(): Promise<void> {
  for (let round = 0; ; round++) {
    const reference = `${process.pid}-${round}-${app.random()}`;
    const late = await createLatePayment(app, environment, { reference: `late-${reference}` });
    const decision = round % 2 === 0 ? 'kept' : 'returned';
    await Promise.all([
      payOut(app, environment, 1000, { reference }),
      deposit(app, environment, 1000, { reference, commission: 30 }),
      resolveSuspense(app, late.id, { decision, reason: 'fault test', by: TESTER }),
    ]);
    process.stdout.write('m');
  }
}

async function work(): Promise<void> {
  for (;;) {
    await carryOutRefunds(app, 10);
    app.now.advance(1000);
    await setTimeout(1);
  }
}

/** The planted bug: the change is committed first, and its entries in a separate commit. */
function bookingAfterwards(db: Database): Database {
  return {
    ...db,
    transaction: async (work) => {
      const later: [InsertTarget, readonly SqlRow[]][] = [];
      const withoutEntries = (tx: Tx): Tx => ({
        ...tx,
        insertRows: async (table, rows, suffix) => {
          if (table.name !== 'journal_entries') return tx.insertRows<never>(table, rows, suffix);
          later.push([table, rows]);
          return [];
        },
      });
      const result = await db.transaction((tx) => work(withoutEntries(tx)));
      if (later.length > 0) await setTimeout(200);
      for (const [table, rows] of later) await db.transaction((tx) => tx.insertRows(table, rows));
      return result;
    },
  };
}
