import type { App } from '../../app.ts';
import {
  countUses,
  hashOfLines,
  hashOfUses,
  type KeptLine,
  LINE_USES,
  type LineUse,
} from '../../statements/statement.ts';
import { type Findings, GONE } from '../proof-finding.ts';
import { selectObjectsGone } from './act-check-queries.ts';
import {
  type StatementPart,
  type StatementSaid,
  selectLinesByNumber,
  selectLinesOfOtherAmounts,
  selectStatementParts,
  selectStatementsAfter,
} from './bank-check-queries.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import { type ActValues, arrivalOf, pagesById, readAct } from './read-acts.ts';

const PAGE = 50;

/**
 * Compares bank statements with the acts that imported them and with people's decisions about their lines, and lines
 * with the amounts of their payouts and deposits. A statement from before its payment service arrived from another
 * database has its acts there.
 */
export async function verifyStatements(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  for await (const statements of pagesById(PAGE, (after, limit) => selectStatementsAfter(app.db, after, limit))) {
    const ids = statements.map(({ id }) => id);
    const parts = Map.groupBy(await selectStatementParts(app.db, ids), ({ statement_id }) => statement_id);
    for (const statement of statements) {
      if (statement.imported_at <= arrivalOf(arrivals, statement.payment_service_id)) continue;
      const known = parts.get(statement.id) ?? [];
      report(findings, statement, [...(await wrongImport(app, statement, known)), ...wrongDecisions(known)]);
    }
    for (const { statement_id, file_line, used_as, subject } of await selectLinesOfOtherAmounts(app.db, ids)) {
      const statement = statements.find(({ id }) => id === statement_id) as StatementSaid;
      const what = used_as === 'payout' ? 'confirms' : used_as === 'return' ? 'returns' : 'is';
      report(findings, statement, [`line ${file_line} ${what} ${subject}, which has another amount or is gone`]);
    }
  }
  for (const { subject, said_at } of await selectObjectsGone(app.db, 'statement.imported', GONE)) {
    const says = `bank statement ${subject} was deleted`;
    findings.add({ finding: 'statement_changed', environment_id: null, subject, since: said_at, says });
  }
}

function report(
  findings: Findings,
  { id, environment_id, imported_at }: StatementSaid,
  wrong: readonly string[],
): void {
  for (const one of wrong) {
    const says = `bank statement ${id}: ${one}`;
    findings.add({ finding: 'statement_changed', environment_id, subject: id, since: imported_at, says });
  }
}

/** Compares a statement and its lines with the act that imported it, which has what was known then. */
async function wrongImport(app: App, statement: StatementSaid, parts: readonly StatementPart[]): Promise<string[]> {
  const act = parts.find(({ action }) => action === 'statement.imported');
  if (act === undefined) return ['it was never imported by this service'];
  const said = readAct(act.said);
  const lines = parts.filter(({ action }) => action === null);
  const reopened = matchedOnImport(parts);
  // Any other line that a person has decided about was in suspense when it was imported.
  const uses = countUses([...reopened.values()].map(({ used_as: use }) => ({ use })));
  uses.suspense -= reopened.size;
  for (const { use, at, lines: count } of lines) uses[at === null && use !== null ? use : 'suspense'] += count;
  const changes = changesIn([
    ['imported_at', act.at, statement.imported_at],
    ['imported_by', act.by, statement.imported_by],
    ['environment', said['environment'], statement.environment],
    ['file_name', said['file_name'], statement.file_name],
    ['file_sha256', said['file_sha256'], statement.file_sha256],
    ['lines', said['lines'], LINE_USES.reduce((sum, use) => sum + uses[use], 0)],
    ...LINE_USES.map((use) => [`lines imported as ${use}`, said[use], uses[use]] as const),
    ...comparedFile(said, statement),
  ]);
  // Acts of earlier versions have no hash of the lines.
  if (said['lines_sha256'] === undefined) return changes;
  const kept = await selectLinesByNumber(app.db, statement.id);
  const isSame = said['lines_sha256'] === hashOfLines(kept);
  const wrong = isSame ? changes : [...changes, 'the day, the amount or the origin of a line was changed'];
  if (!kept.every((line) => isLineOf(statement, line))) wrong.push('the owner or the time of a line was changed');
  wrong.push(...otherLines(parts, kept));
  // Acts of earlier versions have no hash of the uses.
  const usesHash = said['uses_sha256'];
  if (usesHash === undefined || usesHash === hashOfImported(statement, kept, reopened)) return wrong;
  // A person may have put a line into suspense between the acts and the lines.
  const since = matchedOnImport(await selectStatementParts(app.db, [statement.id]));
  if (usesHash === hashOfImported(statement, kept, since)) return wrong;
  return [...wrong, 'its account, or what a line was imported as, was changed'];
}

function hashOfImported(
  { account }: StatementSaid,
  kept: readonly KeptLine[],
  reopened: ReturnType<typeof matchedOnImport>,
): string {
  const imported = kept.map((line) => ({ ...line, ...reopened.get(line.file_line) }));
  return hashOfUses(account, imported);
}

/** Returns the lines that a person put into suspense, with what their import had matched them with. */
function matchedOnImport(parts: readonly StatementPart[]) {
  const matched = new Map<unknown, Pick<KeptLine, 'used_as' | 'subject' | 'resolved_at'>>();
  for (const { action, said, said_before } of parts) {
    if (action !== 'statement.line_reopened') continue;
    const { use, of, resolved_at } = readAct(said_before);
    if (resolved_at !== null) continue;
    matched.set(readAct(said)['file_line'], { used_as: use as LineUse, subject: of as string, resolved_at });
  }
  return matched;
}

/** Returns the columns that only the acts of this version have. */
function comparedFile(said: ActValues, statement: StatementSaid): ComparedColumn[] {
  if (said['uses_sha256'] === undefined) return [];
  return [
    ['payment_service', said['payment_service'], statement.payment_service_id],
    ['lines of the file', said['file_lines'], statement.lines],
    ['first_day', said['first_day'], statement.first_day],
    ['last_day', said['last_day'], statement.last_day],
    ['proof', said['proof'], statement.proof],
  ];
}

/** Each line repeats some columns of its statement. */
function isLineOf({ environment, payment_service_id, imported_at }: StatementSaid, line: KeptLine): boolean {
  return line.environment === environment && line.owner === (payment_service_id ?? '') && line.kept_at === imported_at;
}

/**
 * Compares which lines have a decision with its act, where the number of lines is right. Acts of earlier versions do
 * not say which; neither can the same decision be told from another one in the same millisecond.
 */
function otherLines(parts: readonly StatementPart[], kept: readonly KeptLine[]): string[] {
  const lines = Map.groupBy(kept, ({ resolved_at: at, resolved_by: by, used_as: use, subject, reason }) =>
    JSON.stringify([at, by, use, subject, reason]),
  );
  const acts = Map.groupBy(
    parts.filter(({ action }) => action === 'statement.line_resolved'),
    (act) => keyOf(act, readAct(act.said)),
  );
  const again = Map.groupBy(
    [...acts].filter(([, [act]]) => earlierKey(act) !== null),
    ([, [act]]) => earlierKey(act),
  );
  return [...acts].flatMap(([key, [act, ...others]]) => {
    const said = readAct(act?.said ?? null);
    const changed = (again.get(key) ?? []).flatMap(([later]) => lines.get(later) ?? []);
    const decided = [...(lines.get(key) ?? []), ...changed].toSorted((one, other) => one.number - other.number);
    if (said['lines_sha256'] === undefined || others.length > 0 || decided.length !== said['lines']) return [];
    if (said['lines_sha256'] === hashOfLines(decided)) return [];
    return [`other lines than the audit log has are decided as ${String(said['use'])} by ${act?.by}`];
  });
}

function keyOf({ at, by, reason }: StatementPart, said: ActValues): string {
  return JSON.stringify([at, by, said['use'] ?? null, said['of'] ?? null, reason]);
}

/** Returns the person's decision that an act replaced, as `keyOf` that decision's act; null without one. */
function earlierKey(act: StatementPart | undefined): string | null {
  if (act === undefined || act.said_before === null) return null;
  const { use, of, resolved_at, resolved_by, reason } = readAct(act.said_before);
  return resolved_at === null ? null : JSON.stringify([resolved_at, resolved_by, use, of, reason]);
}

/**
 * Compares the lines that a person decided about with the acts of those decisions. A decision that replaced an earlier
 * one took its lines from that one, and a reopened line has no decision any more.
 */
function wrongDecisions(parts: readonly StatementPart[]): string[] {
  const counts = new Map<string, number>();
  const count = (text: string, lines: number) => counts.set(text, (counts.get(text) ?? 0) + lines);
  for (const part of parts) {
    if (part.action === 'statement.imported') continue;
    const { at, by, reason } = part;
    if (part.action === null) {
      if (at !== null) count(JSON.stringify([at, by, part.use, part.of, reason]), part.lines);
      continue;
    }
    const said = readAct(part.said);
    if (part.action === 'statement.line_resolved') count(keyOf(part, said), -Number(said['lines']));
    const earlier = earlierKey(part);
    if (earlier !== null) count(earlier, Number(said['lines']));
  }
  const wrong = [...counts].flatMap(([text, lines]) => {
    if (lines === 0) return [];
    const [, by, use, of] = JSON.parse(text) as (string | null)[];
    const decision = `${use}${of === null ? '' : ` of ${of}`} by ${by}`;
    const number = Math.abs(lines) === 1 ? '1 line' : `${Math.abs(lines)} lines`;
    return [
      lines > 0
        ? `${number} decided as ${decision}: the audit log has no such decision`
        : `the audit log has ${number} decided as ${decision}, which the statement lacks`,
    ];
  });
  // The database gives the parts in no order.
  return wrong.toSorted();
}
