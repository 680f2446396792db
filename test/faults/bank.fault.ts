import { test } from 'node:test';
import { checkBank } from '../refunds/bank.ts';
import { forEachEngine } from '../support/engines.ts';

const RUNS = Number(process.env.FAULT_BANK_RUNS ?? 1000);
/** The reader checks the whole bank after every commit and command, so each bank is closed while it is small. */
const RUNS_OF_A_BANK = 2;

forEachEngine('a bank with four clients, long form', (openTestDatabase, engine) => {
  // Both engines run the same cases; a run takes three times as long on PostgreSQL.
  const runs = engine === 'sqlite' ? RUNS : Math.ceil(RUNS / 4);
  test(`${runs} runs of 100 commands never refund or pay out more than there is, and the books are correct`, async () => {
    for (let done = 0; done < runs; done += RUNS_OF_A_BANK) {
      const db = await openTestDatabase();
      await checkBank(db, { runs: Math.min(RUNS_OF_A_BANK, runs - done), commands: 25 });
      await db.close();
    }
  });
});
