import { test } from 'node:test';
import { checkBank } from '../refunds/bank.ts';
import { forEachEngine } from '../support/engines.ts';

const RUNS = Number(process.env.FAULT_BANK_RUNS ?? 1000);
/** The reader looks at everything after every commit and command, so a bank is closed before it has grown large. */
const RUNS_OF_A_BANK = 5;

forEachEngine('a bank with four clients, at length', (openTestDatabase) => {
  test(`${RUNS} runs of four clients with 100 commands: never more back or out than there is, books as it happened`, async () => {
    for (let runs = 0; runs < RUNS; runs += RUNS_OF_A_BANK) {
      const db = await openTestDatabase();
      await checkBank(db, { runs: Math.min(RUNS_OF_A_BANK, RUNS - runs), commands: 25 });
      await db.close();
    }
  });
});
