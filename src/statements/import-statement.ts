import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import { type KeptReason, SECOND_LINE } from '../payouts/kept-texts.ts';
import { selectPayoutOwner } from '../payouts/payout-owner-queries.ts';
import { recordContradiction } from '../payouts/settling/record-contradiction.ts';
import { type SaidOutcome, settleOutcomes } from '../payouts/settling/settle-outcomes.ts';
import type { PayoutOwner } from '../payouts/transition-payouts.ts';
import {
  countLines,
  hasLineOfOthers,
  insertLines,
  insertStatement,
  lockCandidates,
  selectOpenPayoutsOfFiles,
  selectStatementOfFile,
} from './bank-statement-queries.ts';
import {
  environmentsOfAccount,
  type FreshLines,
  findCandidates,
  findFresh,
  type KeyedLine,
  keyLines,
  spanOf,
} from './find-candidates.ts';
import type { LineMatch } from './line-match.ts';
import { type Candidates, matchLines } from './match-lines.ts';
import {
  type AccountOfStatement,
  countUses,
  hashOfLines,
  hashOfUses,
  type KeptStatement,
  type LineUse,
  type ReadStatement,
  refuseLaterDays,
} from './statement.ts';

/** A statement to import: the account, the file and the person. */
export type StatementImport = AccountOfStatement & { readonly evidence: Evidence; readonly by: Actor };

/**
 * The result of an import. `known`: lines that earlier files brought. `doubtful`: the known lines, by their line in the
 * file, that may be second, equal lines. `settled` and `contradicted`: ids of payouts.
 * `id` null: no line was new and this file was never imported.
 */
export type ImportedStatement = {
  id: string | null;
  lines: number;
  known: number;
  doubtful: readonly number[];
  uses: Record<LineUse, number>;
  settled: string[];
  contradicted: string[];
};

const CURRENCY = 'CLP';

/**
 * Imports a statement in one transaction. Gives each new line one use, and settles the payouts that lines confirm or
 * return. Skips lines that overlapping files brought, in any order of the files. Throws `Problem` NOT_FOUND;
 * PERSON_NEEDED or PERMISSION_MISSING (checked only for payouts to settle); PAYMENT_SERVICE_MOVED or
 * PAYMENT_SERVICE_MOVING if another database serves the account's payment service; INVALID_STATEMENT for a day to come.
 */
export async function importStatement(
  app: App,
  wish: StatementImport,
  statement: ReadStatement,
): Promise<ImportedStatement> {
  const environmentIds = await environmentsOfAccount(app, wish);
  refuseLaterDays(statement.lines, app.now());
  const lines = await keyLines(app, wish.account, statement.lines);
  for (;;) {
    const planned = await planLines(app.db, wish, { lines, environmentIds });
    const { fresh, doubtful } = planned;
    const result = { lines: lines.length, known: lines.length - fresh.length, doubtful };
    if (fresh.length === 0) return { ...result, ...NOTHING_NEW, id: await idOfFile(app.db, wish) };
    try {
      const imported = await app.db.transaction((tx) => importLines(app, tx, wish, { ...planned, statement }));
      return { ...result, ...imported };
    } catch (error) {
      if (!(error instanceof QuickerFile)) throw error;
    }
  }
}

const NOTHING_NEW = { uses: countUses([]), settled: [], contradicted: [] };

/**
 * Rolls the transaction back: another process has stored the same lines or used their payouts or deposits. The retry
 * knows them.
 */
class QuickerFile extends Error {}

/** The new lines of a file with their uses, before they are locked. */
type Planned = FreshLines & { readonly environmentIds: readonly number[]; readonly matched: Matched };

/** Lines with their uses: as rows without their statement, and as the audit log records them. */
type Matched = {
  readonly matches: readonly LineMatch[];
  readonly rows: readonly ReturnType<typeof rowOf>[];
  readonly said: { readonly lines_sha256: string; readonly uses_sha256: string };
};

/**
 * Reads and matches the lines before the transaction: on SQLite every payment waits for one, and the uses of 50,000
 * lines take a second.
 */
async function planLines(
  db: Reader,
  wish: StatementImport,
  { lines, environmentIds }: { lines: readonly KeyedLine[]; environmentIds: readonly number[] },
): Promise<Planned> {
  const read = await findFresh(db, wish, { lines, environmentIds });
  return { ...read, environmentIds, matched: await matchFresh(wish, read.fresh, read.found) };
}

async function matchFresh(wish: StatementImport, fresh: readonly KeyedLine[], found: Candidates): Promise<Matched> {
  const matches = await matchLines(fresh, found);
  const rows = fresh.map((line, index) => rowOf(wish, line, matches[index] as LineMatch, index + 1));
  const said = { lines_sha256: hashOfLines(rows), uses_sha256: hashOfUses(wish.account, rows) };
  return { matches, rows, said };
}

async function idOfFile(db: Reader, { environment, account, evidence }: StatementImport): Promise<string | null> {
  return (await selectStatementOfFile(db, { environment, account, sha256: evidence.sha256 }))?.id ?? null;
}

async function importLines(
  app: App,
  tx: Tx,
  wish: StatementImport,
  { statement, fresh, environmentIds, ...planned }: Planned & { statement: ReadStatement },
): Promise<Pick<ImportedStatement, 'id' | 'uses' | 'settled' | 'contradicted'>> {
  const { environment, paymentServiceId: owner, by, evidence } = wish;
  const at = app.now();
  const span = spanOf(environmentIds, fresh);
  const locked = await lockCandidates(tx, span);
  const found = keepLocked(await findCandidates(tx, span), locked);
  // Few payouts and deposits change meanwhile.
  const isAsPlanned = JSON.stringify(found) === JSON.stringify(planned.found);
  const { matches, rows, said } = isAsPlanned ? planned.matched : await matchFresh(wish, fresh, found);
  const uses = countUses(matches);
  const kept = keptStatement(wish, statement, at);
  await insertStatement(tx, kept);
  await insertLines(
    tx,
    rows.map((row) => ({ ...row, statement_id: kept.id, kept_at: at })),
  );
  if ((await countLines(tx, kept.id)) < rows.length) throw new QuickerFile();
  const settled = await settle(tx, {
    wish,
    found,
    matches,
    environmentIds,
    at,
    lineAt: (index) => `${kept.id}/${rows[index]?.file_line}`,
  });
  const after = {
    environment,
    payment_service: owner,
    file_name: evidence.name,
    file_sha256: evidence.sha256,
    file_lines: kept.lines,
    first_day: kept.first_day,
    last_day: kept.last_day,
    proof: kept.proof,
    lines: fresh.length,
    ...said,
    ...uses,
  };
  const subject = { kind: 'statement', id: kept.id };
  await recordAudit(tx, { at, by, action: 'statement.imported', subject, after });
  // The index refuses equal lines of one owner only. Under the lock of the audit log the lines of all others are seen.
  if (await hasLineOfOthers(tx, kept.id)) throw new QuickerFile();
  return { id: kept.id, uses, ...settled };
}

/** Leaves out what came after the lock: until the commit others can match or settle it. */
function keepLocked(
  { payouts, files, deposits, merchantPayouts }: Candidates,
  locked: ReadonlySet<string>,
): Candidates {
  const isLocked = ({ id }: { id: string }) => locked.has(id);
  return {
    payouts: payouts.filter(isLocked),
    files: files.filter(isLocked),
    deposits: deposits.filter(isLocked),
    merchantPayouts: merchantPayouts.filter(isLocked),
  };
}

function rowOf(
  { environment, paymentServiceId: owner }: StatementImport,
  { line, day, amount, key, balance = null }: KeyedLine,
  { use, subject, note }: LineMatch,
  number: number,
) {
  const place = { number, environment, owner: owner ?? '', file_line: line };
  const read = { day, amount, currency: CURRENCY, line_key: key, balance };
  return { ...place, ...read, used_as: use, subject, note };
}

type Settling = {
  wish: StatementImport;
  found: Candidates;
  matches: readonly LineMatch[];
  environmentIds: readonly number[];
  at: number;
  /** Names the line of a match, for the payouts that it contradicts. */
  lineAt: (index: number) => string;
};

/** Settles the payouts of the lines. */
async function settle(tx: Tx, { wish, found, matches, environmentIds, at, lineAt }: Settling) {
  const outcomes = await outcomesOf(tx, { found, matches, environmentIds, lineAt });
  const settled: string[] = [];
  const contradicted: string[] = [];
  for (const [environmentId, said] of Map.groupBy(outcomes, (one) => one.environmentId)) {
    const owner = (await selectPayoutOwner(tx, environmentId)) as PayoutOwner;
    const done = await settleOutcomes(tx, owner, said, { at });
    await requireUserOf(tx, wish.by, environmentId, 'movements:record');
    settled.push(...done.settled.map(({ id }) => id));
    contradicted.push(...done.contradicted.map(({ id }) => id));
  }
  const byId = new Map(found.payouts.map((one) => [one.id, one]));
  for (const [index, { twice = '' }] of matches.entries()) {
    const payout = byId.get(twice);
    if (payout === undefined) continue;
    const { id, environmentId } = payout;
    await recordContradiction(tx, { id, environment_id: environmentId }, SECOND_LINE, at, lineAt(index));
    contradicted.push(id);
  }
  return { settled: [...new Set(settled)], contradicted: [...new Set(contradicted)] };
}

async function outcomesOf(
  tx: Tx,
  { found, matches, environmentIds, lineAt }: Pick<Settling, 'found' | 'matches' | 'environmentIds' | 'lineAt'>,
): Promise<(SaidOutcome & { environmentId: number })[]> {
  const byId = new Map(found.payouts.map((one) => [one.id, one]));
  const subjects = matches.flatMap(({ use, subject }, index) =>
    subject === null ? [] : [{ use, subject, line: lineAt(index) }],
  );
  const files = subjects.filter(({ subject }) => subject.startsWith('pf_')).map(({ subject }) => subject);
  const inFiles = files.length === 0 ? [] : await selectOpenPayoutsOfFiles(tx, environmentIds, files);
  return [
    ...inFiles.map(({ id, environment_id }) => {
      return { id, environmentId: environment_id, outcome: 'confirmed' as const, reason: null };
    }),
    ...subjects.flatMap(({ use, subject, line }) => {
      const payout = byId.get(subject);
      if (payout === undefined) return [];
      const outcome = use === 'payout' ? ('confirmed' as const) : ('returned' as const);
      const reason: KeptReason | null = use === 'payout' ? null : 'it came back in the statement of the bank';
      return [{ id: subject, environmentId: payout.environmentId, outcome, reason, line }];
    }),
  ];
}

function keptStatement(wish: StatementImport, { lines, proof }: ReadStatement, at: number): KeptStatement {
  const days = lines.map(({ day }) => day).toSorted((one, other) => (one < other ? -1 : 1));
  return {
    id: prefixedId('st'),
    environment: wish.environment,
    payment_service_id: wish.paymentServiceId,
    account: wish.account,
    file_name: wish.evidence.name,
    file_sha256: wish.evidence.sha256,
    imported_at: at,
    imported_by: wish.by.name,
    first_day: days[0] as string,
    last_day: days.at(-1) as string,
    lines: lines.length,
    proof,
  };
}
