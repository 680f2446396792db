import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { entryName } from '../books/booked-line.ts';
import type { Comparison } from '../books/compare-settlement.ts';
import { type ComparedFile, compareWithBooks } from '../books/compare-with-books.ts';
import { causeOf, type DifferenceCause, explainDifference } from '../books/explain-difference.ts';
import { nameOf, signedAmount } from '../books/settled-line.ts';
import type { Settlement } from '../books/settlement-row.ts';
import type { Tx } from '../db/database.ts';
import { dayOf } from '../lib/calendar-day.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import type { OnProgress } from '../lib/walk.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import {
  hashOfDifferences,
  type KeptDifference,
  type KeptSettlement,
  MOST_DIFFERENCES,
  type SettlementSum,
} from './settlement.ts';
import {
  type FileOfBooks,
  insertSettlement,
  lockComparison,
  replaceEarlier,
  selectDifferences,
  selectNewestComparison,
} from './settlement-queries.ts';

/** The books to compare with, and the payment method whose payments the file settles. */
export type SettlementScope = { environment: Environment; paymentServiceId: string | null; method: string };

/**
 * `unknown`: no such payment service. `empty`: the file has no line. `too_many`: it probably belongs to other books.
 */
export type Keeping = { kind: 'kept'; id: string; open: number } | { kind: 'unknown' | 'empty' | 'too_many' };

/** The file and the person who compares it. */
type Told = { evidence: Pick<Evidence, 'name' | 'sha256'>; by: Actor };

/**
 * Compares an acquirer's file with the books and stores the differences until a person accepts them. If the same file
 * comes again, it is compared with the current books; an accepted difference stays accepted if it is unchanged.
 */
export async function keepSettlement(
  app: App,
  scope: SettlementScope,
  settlement: Settlement,
  told: Told,
  onProgress: OnProgress = () => {},
): Promise<Keeping> {
  const environmentIds = await listEnvironmentIds(app, scope.environment, scope.paymentServiceId, null);
  if (scope.paymentServiceId !== null && environmentIds.length === 0) return { kind: 'unknown' };
  const of: FileOfBooks = {
    environment: scope.environment,
    payment_service_id: scope.paymentServiceId,
    payment_method: scope.method,
    file_sha256: told.evidence.sha256,
  };
  for (;;) {
    const replaces = await selectNewestComparison(app.db, of);
    // Outside the transaction, because it takes long and payments would wait.
    const file = await compareWithBooks(app, environmentIds, scope.method, settlement, onProgress);
    if (file === null) return { kind: 'empty' };
    const keeping = await storeComparison(app, of, file, { ...told, replaces });
    if (keeping !== null) return keeping;
  }
}

/**
 * Stores a comparison in place of `replaces`. Returns null if another one of the same file was stored meanwhile: it may
 * know books that this one does not.
 */
async function storeComparison(
  app: App,
  of: FileOfBooks,
  file: ComparedFile,
  { evidence, by, replaces }: Told & { replaces: string | null },
): Promise<Keeping | null> {
  const found = file.compared.flatMap((one) => {
    const cause = causeOf(one);
    return cause === null ? [] : [{ one, cause }];
  });
  if (found.length > MOST_DIFFERENCES) return { kind: 'too_many' };
  const id = prefixedId('sf');
  const kept: KeptSettlement = {
    ...of,
    id,
    file_name: evidence.name,
    first_day: file.first,
    last_day: file.last,
    kept_at: app.now(),
    kept_by: by.name,
    matched: file.compared.length - found.length,
    totals: JSON.stringify(totalsOf(file.compared)),
    replaced_at: null,
  };
  const differences = found
    .flatMap(({ one, cause }) => inItsCurrency(differenceOf(id, cause, one), one))
    .map((one, at) => ({ ...one, number: at + 1 }));
  return app.db.transaction(async (tx) => {
    await lockComparison(tx, of.payment_service_id);
    if ((await selectNewestComparison(tx, of)) !== replaces) return null;
    const rows = await carryOver(tx, kept, differences);
    await insertSettlement(tx, kept, rows);
    const open = rows.filter(({ accepted_at }) => accepted_at === null).length;
    const { file_name, file_sha256, first_day, last_day, matched } = kept;
    const hashed = hashOfDifferences(kept, rows);
    await recordAudit(tx, {
      at: kept.kept_at,
      by,
      action: 'settlement.kept',
      subject: { kind: 'settlement', id },
      after: { file_name, file_sha256, first_day, last_day, matched, open, differences_sha256: hashed },
    });
    return { kind: 'kept', id, open };
  });
}

function totalsOf(compared: readonly Comparison[]): SettlementSum[] {
  return explainDifference(compared).map(({ currency, settled, booked, difference }) => ({
    currency,
    settled: String(settled),
    booked: String(booked),
    difference: String(difference),
  }));
}

/** A difference has one currency: where its sides have two, it becomes one of each side. */
function inItsCurrency(both: KeptDifference, { line, differs }: Comparison): KeptDifference[] {
  if (line === null || !differs.includes('currency')) return [both];
  return [
    { ...both, booked: null },
    { ...both, settled: null, currency: line.currency },
  ];
}

function differenceOf(settlementId: string, cause: DifferenceCause, { row, line }: Comparison): KeptDifference {
  return {
    settlement_id: settlementId,
    number: 0,
    cause,
    file_line: row?.fileLine ?? null,
    day: row?.date ?? dayOf(line?.created_at ?? 0),
    buy_order: row?.buyOrder ?? row?.authorizationCode ?? (line === null ? null : nameOf(line)),
    entry: line === null ? null : `${line.environment_id}/${entryName(line)}`,
    transaction_id: line?.transaction_id ?? null,
    settled: row?.amount ?? null,
    booked: line === null ? null : signedAmount(line),
    currency: row?.currency ?? line?.currency ?? '',
    accepted_at: null,
    accepted_by: null,
    reason: null,
  };
}

/** Copies the acceptances of earlier comparisons of the same file to unchanged differences. */
async function carryOver(tx: Tx, kept: KeptSettlement, differences: readonly KeptDifference[]) {
  const earlier = await replaceEarlier(tx, kept);
  if (earlier.length === 0) return differences;
  // An entry never changes, so its name stands for its amount.
  const keyOf = ({ cause, file_line, entry, settled }: KeptDifference) => [cause, file_line, entry, settled].join(' ');
  const before = (await Promise.all(earlier.map(({ id }) => selectDifferences(tx, id)))).flat();
  const accepted = new Map(before.filter(({ accepted_at }) => accepted_at !== null).map((one) => [keyOf(one), one]));
  return differences.map((one) => {
    const { accepted_at, accepted_by, reason } = accepted.get(keyOf(one)) ?? one;
    return { ...one, accepted_at, accepted_by, reason };
  });
}
