import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '../../protocol/field.ts';
import {
  MOST_ITEMS,
  postValidationsBankAccountBatch,
} from '../../src/api/bank-accounts/post-validations-bank-account-batch.ts';
import { EXPLAIN_LIMITS } from '../../src/api/transactions/explain-refusal.ts';
import { FACTOR_LIMITS } from '../../src/auth/factors/prove-factor.ts';
import { LOGIN_LIMITS } from '../../src/auth/sign-in/log-in.ts';
import { HELD_BACK } from '../../src/http/hold-back.ts';
import { REQUEST_LIMITS } from '../../src/http/request-limits.ts';
import { shareOfOne } from '../../src/lib/fair-shares.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');

test('docs/limits.md has every request limit, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| ([\d,]+) \| (\d+) min \|/gm)].map(([, name, most, minutes]) => ({
    name,
    most: Number(most?.replaceAll(',', '')),
    windowMs: Number(minutes) * 60_000,
  }));
  const limits = [REQUEST_LIMITS, LOGIN_LIMITS, FACTOR_LIMITS, EXPLAIN_LIMITS].flatMap((group) => Object.values(group));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    String(a.name).localeCompare(String(b.name));
  assert.deepEqual(
    rows.sort(byName),
    limits.map(({ name, most, windowMs }) => ({ name, most, windowMs })).sort(byName),
  );
});

const SIZES: [what: string, most: string][] = [
  ['body', kibibytes(SERVER_LIMITS.bodyBytes)],
  ['body of `POST /validations/BankAccount/batch`', kibibytes(postValidationsBankAccountBatch.bodyLimit ?? 0)],
  ['bank accounts in one batch', number(MOST_ITEMS)],
  ['headers', kibibytes(SERVER_LIMITS.headerBytes)],
  ['number of headers', number(SERVER_LIMITS.headers)],
  ['levels of a signed JSON body', number(LIMITS.depth)],
  ['members of a signed body, with the members of inner objects', number(LIMITS.members)],
  ['characters of one value', number(LIMITS.characters)],
  ['connections of a process', number(SERVER_LIMITS.connections)],
  ['connections of one network', `${number(shareOfOne(SERVER_LIMITS.connections))}, a third of those that are free`],
  ['requests of one connection that were read and not begun', number(SERVER_LIMITS.waitingRequests)],
  [
    'the same of one network',
    `${number(shareOfOne(SERVER_LIMITS.allWaitingRequests))}, a third of what is free of ${number(SERVER_LIMITS.allWaitingRequests)}`,
  ],
  [
    'time for a client to take an answer',
    `${seconds(SERVER_LIMITS.writeMs)}, and 1 s for each ${kibibytes(SERVER_LIMITS.writeBytesPerSecond)}`,
  ],
  ['answers that wait for their clients, together', mebibytes(SERVER_LIMITS.unreadBytes)],
  [
    'bodies above 16 KiB of one network that are arriving or being answered',
    `${mebibytes(shareOfOne(SERVER_LIMITS.largeBodiesBytes))}, a third of what is free of ${mebibytes(SERVER_LIMITS.largeBodiesBytes)}`,
  ],
  ['time from the first byte of a request to the end of its headers', seconds(SERVER_LIMITS.headersMs)],
  ['time from the first byte of a request to the end of its body', seconds(SERVER_LIMITS.requestMs)],
  [
    'a body that goes on after its answer',
    `${mebibytes(SERVER_LIMITS.discardBytes)}, and ${seconds(SERVER_LIMITS.discardMs)} if the answer closes the connection`,
  ],
  ['time between two requests of a connection', seconds(SERVER_LIMITS.idleMs)],
];
for (const [what, most] of SIZES) {
  test(`docs/limits.md gives the limit of the ${what}: ${most}`, () =>
    assert.ok(page.includes(`\n| ${what} | ${most} | `)));
}

test('docs/limits.md says when a refusal is delayed', () => {
  const { most, windowMs, heldMs } = HELD_BACK;
  assert.deepEqual([windowMs, heldMs], [100, 1_000]);
  assert.ok(page.includes(`more than ${most} times in a tenth of a second`));
});

test('no endpoint accepts a larger body than docs/limits.md says', () => {
  const larger = ROUTES.filter(({ bodyLimit }) => bodyLimit !== undefined);
  assert.deepEqual(
    larger.map(({ paths }) => paths[0]),
    [
      '/validations/BankAccount/batch',
      '/payout-batches',
      '/payout-files/:id/results',
      '/bank-statements',
      '/console/payments/:id/attempts/:attempt/settle',
      '/console/payments/:id/refunds/:refund/settle',
      '/console/settlements',
      '/console/settlements/:id/book',
      '/console/payouts/upload',
      '/console/payouts/:id/settle',
      '/console/payout-files/:id/results',
      '/console/statements',
      '/console/merchants/:id/look',
      '/console/bank-accounts',
    ],
  );
});

function kibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`;
}

function mebibytes(bytes: number): string {
  return `${Math.floor((bytes / 1024 / 1024) * 10) / 10} MiB`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
