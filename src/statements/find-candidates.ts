import { setImmediate } from 'node:timers/promises';
import type { App } from '../app.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import type { Reader } from '../db/database.ts';
import { notFound } from '../error-catalogue.ts';
import { boundsOfDay, dayOf, shiftDay } from '../lib/calendar-day.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { letOthersRun } from '../lib/let-others-run.ts';
import { findElsewhere, refuseElsewhere } from '../payment-services/elsewhere.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import {
  type CandidateSpan,
  selectFilesOfTotals,
  selectKnownKeys,
  selectLinesOfDays,
  selectMovementsOfAmounts,
  selectPayoutsOfAmounts,
  selectStatementOfFile,
} from './bank-statement-queries.ts';
import type { ReadLine } from './line-match.ts';
import type { Candidates } from './match-lines.ts';
import { isOfAcquirer, methodsIn, rutsIn } from './ruts-in-text.ts';
import {
  type AccountOfStatement,
  lineIdentities,
  olderIdentities,
  type StatementLine,
  wholeText,
} from './statement.ts';

/** A line with its key, and its key in earlier versions of the program. */
export type KeyedLine = ReadLine & { readonly key: string; readonly olderKey: string };

/** Candidates from earlier than this many days before the first line are not matched. */
const DAYS_BACK = 75;

/**
 * Returns the environments whose payouts the lines of an account may match. Throws `Problem` NOT_FOUND for an unknown
 * payment service, or PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database serves it.
 */
export async function environmentsOfAccount(
  app: App,
  { environment, paymentServiceId }: Omit<AccountOfStatement, 'account'>,
): Promise<number[]> {
  const all = await listEnvironmentIds(app, environment, paymentServiceId, null);
  const [first] = all;
  if (first === undefined) throw notFound('There is no such payment service.', 'No existe ese servicio de pago.');
  if (paymentServiceId !== null) refuseElsewhere((await findEnvironmentById(app, first)) ?? { elsewhere: null });
  // Omits services that moved: their payouts end in the other database, and this one would reject the whole file.
  const { environments: elsewhere } = await findElsewhere(app);
  return all.filter((id) => !elsewhere.has(id));
}

/**
 * Returns the lines of an account with their keys, the hashes of the RUTs in their text, and the acquirer and payment
 * methods that they name.
 */
export async function keyLines(app: App, account: string, lines: readonly StatementLine[]): Promise<KeyedLine[]> {
  const hashes = await identityHashes(app);
  const keyOf = (identities: readonly string[], at: number) => hashes.ofRequest(identities[at] as string);
  const identities = lineIdentities(account, lines);
  const older = olderIdentities(account, lines);
  const methods = app.paymentMethods.map(({ code }) => code);
  const keyed: KeyedLine[] = [];
  const turn = letOthersRun();
  for (const [at, line] of lines.entries()) {
    await turn();
    const text = wholeText(line);
    const ruts = rutsIn(text);
    const rutHashes = ruts.map((rut) => hashes.ofRut(rut));
    const named = { key: keyOf(identities, at), olderKey: keyOf(older, at) };
    const from = { isAcquirer: isOfAcquirer(text, ruts), methods: methodsIn(text, methods) };
    keyed.push({ ...line, text, rutHashes, ...from, ...named });
  }
  return keyed;
}

const NONE: Candidates = { payouts: [], files: [], deposits: [], merchantPayouts: [] };

/** The new lines of a file, what they may match, and the known lines that may be second ones (`doubtfulLines`). */
export type FreshLines = {
  readonly fresh: readonly KeyedLine[];
  readonly found: Candidates;
  readonly doubtful: readonly number[];
};

/** Finds the new lines of a file and what they may match: the same for an import and for its preview. */
export async function findFresh(
  db: Reader,
  of: FileOfAccount,
  { lines, environmentIds }: { lines: readonly KeyedLine[]; environmentIds: readonly number[] },
): Promise<FreshLines> {
  const fresh = await freshLines(db, of, lines);
  const doubtful = await doubtfulLines(db, of, lines, fresh);
  const found = fresh.length === 0 ? NONE : await findCandidates(db, spanOf(environmentIds, fresh));
  return { fresh, found, doubtful };
}

/** SQLite answers at once: without a pause after so many lines, payments would wait for 50,000 of them. */
const PAGE = 1000;

/** Returns the lines that no earlier file of the account has brought. */
async function freshLines(
  db: Reader,
  { environment, paymentServiceId: owner }: AccountOfStatement,
  lines: readonly KeyedLine[],
): Promise<KeyedLine[]> {
  const known = new Set<string>();
  for (let at = 0; at < lines.length; at += PAGE) {
    const keys = lines.slice(at, at + PAGE).flatMap(({ day, key, olderKey }) => [
      { day, key },
      { day, key: olderKey },
    ]);
    for (const key of await selectKnownKeys(db, { environment, owner }, keys)) known.add(key);
    await setImmediate();
  }
  return lines.filter(({ key, olderKey }) => !known.has(key) && !known.has(olderKey));
}

/** The account of a statement, and the SHA-256 of the file. */
export type FileOfAccount = AccountOfStatement & { readonly evidence: Pick<Evidence, 'sha256'> };

/**
 * Returns the known lines, by their line in the file, that may be second, equal lines: the file lacks other lines of
 * their day, so the bank may have split the day between two files, or its balances of the day begin where another
 * file ends, or further on. None for a file that was imported before.
 */
async function doubtfulLines(
  db: Reader,
  of: FileOfAccount,
  lines: readonly KeyedLine[],
  fresh: readonly KeyedLine[],
): Promise<number[]> {
  const isFresh = new Set(fresh);
  const known = lines.filter((line) => !isFresh.has(line));
  if (known.length === 0 || (await selectStatementOfFile(db, { ...of, sha256: of.evidence.sha256 })) !== null)
    return [];
  const keys = new Set(lines.flatMap(({ key, olderKey }) => [key, olderKey]));
  const kept = await selectLinesOfDays(db, of, [...new Set(known.map(({ day }) => day))]);
  const split = new Set(kept.flatMap(({ day, line_key }) => (keys.has(line_key) ? [] : day)));
  const own = Map.groupBy(lines, ({ day }) => day);
  for (const [day, others] of Map.groupBy(kept, (one) => one.day))
    if (isSequel(others, own.get(day) ?? [])) split.add(day);
  return known.flatMap(({ day, line }) => (split.has(day) ? line : []));
}

type Balanced = { readonly amount: number; readonly balance?: number | null };

/**
 * Returns whether the lines of a day in two files have no balance after a line in common, and one file goes on where
 * the other ends, or they have no balance in common at all: both may lack lines in between. A final statement in
 * another order than the provisional one does neither: both begin with the balance of the day before.
 */
function isSequel(some: readonly Balanced[], others: readonly Balanced[]): boolean {
  const [one, other] = [some, others].map(balancesOf) as [Balances, Balances];
  if (one.after.size === 0 || other.after.size === 0 || !one.after.isDisjointFrom(other.after)) return false;
  const goesOn = !(one.after.isDisjointFrom(other.before) && other.after.isDisjointFrom(one.before));
  return goesOn || one.before.isDisjointFrom(other.before);
}

type Balances = { readonly before: Set<number>; readonly after: Set<number> };

function balancesOf(lines: readonly Balanced[]): Balances {
  const known = lines.flatMap(({ amount, balance = null }) => (balance === null ? [] : [{ amount, balance }]));
  return {
    before: new Set(known.map(({ amount, balance }) => balance - amount)),
    after: new Set(known.map(({ balance }) => balance)),
  };
}

/** Returns the amounts and the time in which candidates for these lines are searched. */
export function spanOf(environmentIds: readonly number[], lines: readonly ReadLine[]): CandidateSpan {
  const amounts = [...new Set(lines.map(({ amount }) => Math.abs(amount)))];
  const first = lines.reduce((earliest, { day }) => (day < earliest ? day : earliest), lines[0]?.day ?? '');
  return { environmentIds, amounts, since: boundsOfDay(shiftDay(first, -DAYS_BACK)).from };
}

/** Returns the payouts, files, deposits and payouts to merchants that lines may match. */
export async function findCandidates(db: Reader, span: CandidateSpan): Promise<Candidates> {
  const payouts = await selectPayoutsOfAmounts(db, span);
  const files = await selectFilesOfTotals(db, span);
  const deposits = await selectMovementsOfAmounts(db, 'deposit', span);
  const merchantPayouts = await selectMovementsOfAmounts(db, 'payout', span);
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
    deposits: deposits.map(({ id, environment_id, amount, created_at, reference, payment_method, has_line }) => ({
      id,
      environmentId: environment_id,
      amount,
      day: dayOf(created_at),
      paymentMethod: payment_method,
      paidInAs: payment_method === null ? reference : null,
      hasLine: has_line === 1,
    })),
    merchantPayouts: merchantPayouts.map(({ id, amount, created_at, reference, has_line }) => ({
      id,
      amount,
      day: dayOf(created_at),
      reference,
      hasLine: has_line === 1,
    })),
  };
}
