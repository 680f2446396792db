import type { App } from '../../app.ts';
import { sayAccepted } from '../../movements/accept-difference.ts';
import { hashOfDifferences, type KeptDifference } from '../../movements/settlement.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import { selectObjectsGone } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, pagesById, readAct } from './read-acts.ts';
import {
  type EarlierAcceptance,
  type SettlementPart,
  type SettlementSaid,
  selectEarlierAcceptances,
  selectSettlementParts,
  selectSettlementsSaid,
} from './settlement-check-queries.ts';

/** Files may have thousands of differences, so few are read at once. */
const PAGE = 20;

/**
 * Compares kept settlement files and their differences with the acts that kept them, and accepted differences with the
 * acts that accepted them: a month closes only when none is open. A file that was kept before its payment service
 * arrived from another database has its acts there.
 */
export async function verifySettlements(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  for await (const settlements of pagesById(PAGE, (after, limit) => selectSettlementsSaid(app.db, after, limit))) {
    const known = settlements.filter((one) => !(one.kept_at <= arrivalOf(arrivals, one.payment_service_id)));
    const ids = known.map(({ id }) => id);
    const parts = Map.groupBy(await selectSettlementParts(app.db, ids), ({ settlement_id }) => settlement_id);
    const carried = ids.filter((id) => unsaidIn(parts.get(id) ?? []).size > 0);
    const earlier = carried.length === 0 ? [] : await selectEarlierAcceptances(app.db, carried);
    for (const settlement of known) {
      const own = parts.get(settlement.id) ?? [];
      const before = earlier.filter(({ id }) => id === settlement.id);
      const { id: subject, kept_at: since } = settlement;
      const about = { finding: 'settlement_changed' as const, environment_id: null, subject, since };
      const wrong = [...wrongKeeping(settlement, own), ...wrongAcceptances(own, before)];
      addWrong(findings, about, wrong, `settlement ${subject}`);
    }
  }
  for (const { subject, said_at: since } of await selectObjectsGone(app.db, 'settlement.kept', GONE)) {
    const says = `settlement ${subject} was deleted`;
    findings.add({ finding: 'settlement_changed', environment_id: null, subject, since, says });
  }
}

function differencesIn(parts: readonly SettlementPart[]): SettlementPart[] {
  return parts.filter(({ action }) => action === null).toSorted((one, other) => one.number - other.number);
}

/** Compares a file and its differences with the act that kept it. Acts of earlier versions have no hash of them. */
function wrongKeeping(settlement: SettlementSaid, parts: readonly SettlementPart[]): string[] {
  const act = parts.find(({ action }) => action === 'settlement.kept');
  if (act === undefined) return ['it was never kept by this service'];
  const said = readAct(act.said);
  const differences = differencesIn(parts);
  const accepted = acceptancesIn(parts);
  // Acceptances of earlier comparisons of the same file were copied when it was kept.
  const open = differences.filter((one) => one.accepted_at === null || accepted.has(keyOf(one)));
  const hash = said['differences_sha256'];
  return [
    ...changesIn([
      ['kept_at', act.at, settlement.kept_at],
      ['kept_by', act.by, settlement.kept_by],
      ...(['file_name', 'file_sha256', 'first_day', 'last_day', 'matched'] as const).map(
        (column) => [column, said[column], settlement[column]] as const,
      ),
      ['differences to accept', said['open'], open.length],
    ]),
    ...(hash === undefined || hash === hashOfDifferences(settlement, differences)
      ? []
      : ['its books, its sums or its differences were changed']),
    ...(settlement.replaced_at === null || settlement.is_replaced === 1
      ? []
      : ['it is marked as compared again, and was not']),
  ];
}

/** The decision about a difference: when, by whom and why. */
function keyOf({ accepted_at, accepted_by, reason }: Pick<KeptDifference, 'accepted_at' | 'accepted_by' | 'reason'>) {
  return JSON.stringify([accepted_at, accepted_by, reason]);
}

function acceptancesIn(parts: readonly SettlementPart[]): Map<string, SettlementPart[]> {
  return Map.groupBy(
    parts.filter(({ action }) => action === 'settlement.accepted'),
    ({ at, by, reason }) => keyOf({ accepted_at: at, accepted_by: by, reason }),
  );
}

/** Returns the accepted differences, by their decision, that no act about this file has accepted. */
function unsaidIn(parts: readonly SettlementPart[]): Map<string, SettlementPart[]> {
  const accepted = acceptancesIn(parts);
  const unsaid = differencesIn(parts).filter((one) => one.accepted_at !== null && !accepted.has(keyOf(one)));
  return Map.groupBy(unsaid, keyOf);
}

/**
 * Compares the accepted differences with the acts about them, also with acts about an earlier comparison of the file.
 * Acts of earlier versions, which have no hash of the differences, have other sums.
 */
function wrongAcceptances(parts: readonly SettlementPart[], earlier: readonly EarlierAcceptance[]): string[] {
  const before = new Set(earlier.map(({ at, by, reason }) => keyOf({ accepted_at: at, accepted_by: by, reason })));
  const unsaid = [...unsaidIn(parts)].flatMap(([key, of]) =>
    before.has(key)
      ? []
      : [`${numberOf(of.length)} accepted by ${of[0]?.accepted_by}: the audit log has no such decision`],
  );
  const rows = Map.groupBy(differencesIn(parts), keyOf);
  const kept = parts.find(({ action }) => action === 'settlement.kept');
  const hasSums = readAct(kept?.said ?? null)['differences_sha256'] !== undefined;
  const lacking = [...acceptancesIn(parts)].flatMap(([key, acts]) => {
    const of = rows.get(key) ?? [];
    const count = acts.reduce((sum, { said }) => sum + Number(readAct(said)['differences']), 0);
    const isSame = count === of.length && (!hasSums || acts.length > 1 || isAsAccepted(acts[0]?.said ?? null, of));
    return isSame ? [] : [`the audit log has ${numberOf(count)} accepted by ${acts[0]?.by}, and other ones are`];
  });
  return [...unsaid, ...lacking];
}

/** The order of the causes is the database's. */
function isAsAccepted(text: string | null, of: readonly SettlementPart[]): boolean {
  const said = readAct(text);
  const sorted = (values: Readonly<Record<string, unknown>>) =>
    JSON.stringify({ ...values, cause: String(values['cause']).split(', ').sort() });
  return sorted(said) === sorted(sayAccepted(of));
}

function numberOf(differences: number): string {
  return differences === 1 ? '1 difference' : `${differences} differences`;
}
