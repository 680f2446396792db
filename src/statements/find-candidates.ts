import type { App } from '../app.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import type { Database } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { boundsOfDay, dayOf, shiftDay } from '../lib/calendar-day.ts';
import { findElsewhere, refuseElsewhere } from '../payment-services/elsewhere.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import {
  type CandidateSpan,
  selectDepositsOfAmounts,
  selectFilesOfTotals,
  selectKnownKeys,
  selectPayoutsOfAmounts,
} from './bank-statement-queries.ts';
import type { Candidates, ReadLine } from './match-lines.ts';
import { isOfAcquirer, rutsIn } from './ruts-in-text.ts';
import {
  type AccountOfStatement,
  lineIdentities,
  olderIdentities,
  type StatementLine,
  wholeText,
} from './statement.ts';

type Reader = Pick<Database, 'query'>;

/** A line with its key, and the one by which versions before this knew it. */
export type KeyedLine = ReadLine & { readonly key: string; readonly olderKey: string };

/** Money that left so long ago is not looked for. */
const DAYS_BACK = 75;

/** The environments whose payouts the lines of an account can be of. Throws `Problem` NOT_FOUND for an unknown payment service. */
export async function environmentsOfAccount(
  app: App,
  { environment, paymentServiceId }: Omit<AccountOfStatement, 'account'>,
): Promise<number[]> {
  const all = await listEnvironmentIds(app, environment, paymentServiceId, null);
  const [first] = all;
  if (first === undefined)
    throw new Problem('NOT_FOUND', {
      detail: { en: 'There is no such payment service.', es: 'No existe ese servicio de pago.' },
    });
  if (paymentServiceId !== null) refuseElsewhere((await findEnvironmentById(app, first)) ?? { elsewhere: null });
  // A payout that has moved ends where it is now: here the database refuses it, and with it the whole file.
  const { environments: elsewhere } = await findElsewhere(app);
  return all.filter((id) => !elsewhere.has(id));
}

/** Reads from each line of an account by what it is known, and whom it names. */
export async function keyLines(app: App, account: string, lines: readonly StatementLine[]): Promise<KeyedLine[]> {
  const hashes = await identityHashes(app);
  const keysOf = (identities: readonly string[]) => identities.map((identity) => hashes.ofRequest(identity));
  const keys = keysOf(lineIdentities(account, lines));
  const olderKeys = keysOf(olderIdentities(account, lines));
  const methods = app.paymentMethods.map(({ code }) => code);
  return lines.map((line, at) => {
    const text = wholeText(line);
    const ruts = rutsIn(text);
    const rutHashes = ruts.map((rut) => hashes.ofRut(rut));
    const named = { key: keys[at] as string, olderKey: olderKeys[at] as string };
    return { ...line, text, rutHashes, isAcquirer: isOfAcquirer(text, ruts, methods), ...named };
  });
}

/** The lines that no file of the account has brought before. */
export async function freshLines(
  db: Reader,
  { environment, paymentServiceId: owner }: AccountOfStatement,
  lines: readonly KeyedLine[],
): Promise<KeyedLine[]> {
  const keys = lines.flatMap(({ key, olderKey }) => [key, olderKey]);
  const known = await selectKnownKeys(db, { environment, owner }, keys);
  return lines.filter(({ key, olderKey }) => !known.has(key) && !known.has(olderKey));
}

/** The amounts and the time in which what these lines are of is looked for. */
export function spanOf(environmentIds: readonly number[], lines: readonly ReadLine[]): CandidateSpan {
  const amounts = [...new Set(lines.map(({ amount }) => Math.abs(amount)))];
  const first = lines.reduce((earliest, { day }) => (day < earliest ? day : earliest), lines[0]?.day ?? '');
  return { environmentIds, amounts, since: boundsOfDay(shiftDay(first, -DAYS_BACK)).from };
}

/** Finds what lines can be of. */
export async function findCandidates(db: Reader, span: CandidateSpan): Promise<Candidates> {
  const payouts = await selectPayoutsOfAmounts(db, span);
  const files = await selectFilesOfTotals(db, span);
  const deposits = await selectDepositsOfAmounts(db, span);
  return {
    payouts: payouts.map((one) => ({
      id: one.id,
      environmentId: one.environment_id,
      reference: one.reference,
      amount: one.amount,
      rutHash: one.rut_hash,
      state: one.state,
      fileId: one.file_id,
      leftDay: dayOf(one.sent_at),
      hasPayoutLine: one.has_payout_line === 1,
      hasReturnLine: one.has_return_line === 1,
    })),
    files: files.map(({ id, total, created_at }) => ({ id, total, day: dayOf(created_at) })),
    deposits: deposits.map(({ id, amount, created_at, reference, payment_method }) => ({
      id,
      amount,
      day: dayOf(created_at),
      paidInAs: payment_method === null ? reference : null,
    })),
  };
}
