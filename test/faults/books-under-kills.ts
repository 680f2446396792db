import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { startChild } from '../support/child-process.ts';
import type { OpenTestDatabase } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { selectOverdrawn, selectWrongBooks } from '../support/test-books.ts';
import { setTestFee } from '../support/test-movements.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

export type BooksUnderKills = {
  kills: number;
  payments: number;
  refunds: number;
  movements: number;
  problems: string[];
};

/**
 * Kills a process that records payments, refunds and movements, repeatedly and at random moments, and checks the books
 * after each kill. At the end it completes open work and checks the books again.
 */
export async function killBookkeeper(
  openTestDatabase: OpenTestDatabase,
  options: { kills: number; random: () => number; plant?: 'books in a second commit' },
): Promise<BooksUnderKills> {
  const db = await openTestDatabase();
  const app = createTestApp(db);
  const environment = await createTestEnvironment(app);
  await setTestFee(app, environment);
  const problems: string[] = [];
  const readBooks = async (when: string) => {
    const wrong = await selectWrongBooks(db);
    const { problems: broken, records, balances } = await verifyBooks(app);
    const day = { environmentIds: [environment.id], from: 0, to: Number.MAX_SAFE_INTEGER, transactionId: 0 };
    const { problems: unexplained } = await reconcileEntries(app, day);
    for (const found of [...wrong, ...(await selectOverdrawn(db)), ...broken, ...records, ...balances, ...unexplained])
      problems.push(`${when}: ${JSON.stringify(found)}`);
  };
  for (let kill = 1; kill <= options.kills; kill++) {
    const moment = {
      payments: 1 + Math.floor(options.random() * 4),
      milliseconds: Math.floor(options.random() * 30),
      // On a slow machine one kind may not have happened yet at the earlier kills.
      ofEachKind: kill === options.kills,
    };
    await killAt(moment, [db.url, environment.serviceToken, options.plant ?? '']);
    await readBooks(`after kill ${kill}`);
    // A planted bug only has to be found; further runs show nothing more.
    if (options.plant !== undefined && problems.length > 0) break;
  }
  for (let round = 0; round < 10; round++) {
    app.now.advance(120_000);
    while ((await carryOutRefunds(app, 1000)) > 0);
  }
  await readBooks('at the end');
  const count = async (sql: string) => (await db.query<{ n: number }>(sql))[0]?.n ?? 0;
  const open = await count("select count(*) as n from refunds where state = 'processing'");
  if (open > 0) problems.push(`${open} refunds have no end`);
  return {
    kills: options.kills,
    payments: await count("select count(*) as n from transactions where state = 'completed'"),
    refunds: await count("select count(*) as n from refunds where state = 'completed'"),
    movements: await count('select count(*) as n from movements'),
    problems,
  };
}

type Moment = { payments: number; milliseconds: number; ofEachKind: boolean };

/**
 * Kills the process some milliseconds after a number of payments, so that every kill interrupts work on any machine.
 */
async function killAt(moment: Moment, parameters: string[]): Promise<void> {
  const program = fileURLToPath(new URL('./support/bank-process.ts', import.meta.url));
  const child = await startChild('node', [program, ...parameters]);
  await child.until(({ stdout }) => hasCome(moment, stdout));
  await setTimeout(moment.milliseconds);
  const { signal, stderr } = await child.end('SIGKILL');
  if (signal !== 'SIGKILL') throw new Error(`The bank ended by itself: ${stderr}`);
}

function hasCome({ payments, ofEachKind }: Moment, done: string): boolean {
  const paid = done.split('p').length - 1 >= payments;
  return paid && (!ofEachKind || (done.includes('r') && done.includes('m')));
}
