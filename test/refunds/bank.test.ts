import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { checkBank } from './bank.ts';

// `bin/test --faults` runs a thousand banks: test/faults/bank.fault.ts.
forEachEngine('a bank with four clients', (openTestDatabase, engine) => {
  test('never refunds or pays out more than there is, and the books record what happened', async () => {
    await checkBank(await openTestDatabase(), { runs: engine === 'sqlite' ? 4 : 2, commands: 25 });
  });
});
