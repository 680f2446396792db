import type { FactContent } from '../../books/book-fact.ts';
import type { Said } from '../fact-check-queries.ts';
import { addWrong, type FindingKind, type Findings } from '../proof-finding.ts';
import { readAct } from './read-acts.ts';

/** Names every column in which the store differs from what was last recorded about a subject. */
export function compareSaid(
  findings: Findings,
  finding: FindingKind,
  environmentId: number | null,
  subject: string,
  { said, said_at }: Said,
  stored: FactContent,
): void {
  const about = { finding, environment_id: environmentId, subject, since: said_at };
  if (said === null) return findings.add({ ...about, says: `${subject} was never made by this service` });
  const known = readAct(said);
  addWrong(findings, about, changesIn(Object.entries(stored).map(([column, value]) => [column, known[column], value])));
}

/** A column, its recorded and its stored value. */
export type ComparedColumn = readonly [column: string, was: unknown, is: unknown];

/** Returns a text for each column whose two values differ. */
export function changesIn(columns: readonly ComparedColumn[]): string[] {
  return columns.flatMap(([column, was, is]) =>
    was === is ? [] : [`${column} was ${JSON.stringify(was ?? null)}, is ${JSON.stringify(is)}`],
  );
}
