import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** Each port: the folder of its implementations, the type that they return, and their contracts. */
const PORTS: readonly [folder: string, type: string, contracts: readonly string[]][] = [
  ['payment-methods', 'PaymentMethod', ['describePaymentMethod', 'describeRefunds']],
  ['payout-senders', 'PayoutSender', ['describePayoutSender']],
  ['validation-providers', 'ValidationProvider', ['describeValidationProvider']],
];

/**
 * Returns the files with an implementation, or with a function that creates one. `open-` and `compose-` only choose
 * among the others.
 */
function implementations(folder: string, type: string): string[] {
  const returned = new RegExp(
    `\\): (?:Promise<)?${type}>? \\{|^(?:export )?const \\w+: ${type} =|satisfies ${type}\\b`,
    'm',
  );
  return globSync(`src/${folder}/*.ts`, { cwd: root }).filter(
    (file) => !/^(?:open|compose)-/.test(basename(file)) && returned.test(readFileSync(join(root, file), 'utf8')),
  );
}

for (const [folder, type, contracts] of PORTS) {
  const files = implementations(folder, type);

  test(`each ${type} is tested with its contract`, () => {
    assert.ok(files.length >= 2, files.join());
    const tests = globSync(`test/${folder}/*.test.ts`, { cwd: root }).map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return { text, about: (name: string) => basename(file) === `${name}.test.ts` || text.includes(`/${name}.ts'`) };
    });
    for (const file of files) {
      for (const contract of contracts) {
        const name = basename(file, '.ts');
        const isHeld = tests.some(({ text, about }) => about(name) && text.includes(`${contract}(`));
        assert.ok(isHeld, `${file} needs a test in test/${folder} that calls ${contract} for it`);
      }
    }
  });
}
