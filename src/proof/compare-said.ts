import type { FactContent } from '../books/book-fact.ts';
import { contentOf, type Said } from './fact-check-queries.ts';
import type { FindingKind, Findings } from './proof-finding.ts';

/** Names every column in which the store differs from what was last recorded about a subject. */
export function compareSaid(
  findings: Findings,
  finding: FindingKind,
  environmentId: number | null,
  subject: string,
  { said, said_at }: Said,
  stored: FactContent,
): void {
  const add = (says: string) => findings.add({ finding, environment_id: environmentId, subject, since: said_at, says });
  if (said === null) return add(`${subject} was never made by this service`);
  const known = contentOf(said);
  const changes = changesIn(Object.entries(stored).map(([column, value]) => [column, known?.[column], value]));
  if (changes.length > 0) add(`${subject}: ${changes.join('; ')}`);
}

/** A column, its recorded and its stored value. */
export type ComparedColumn = readonly [column: string, was: unknown, is: unknown];

/** Returns a text for each column whose two values differ. */
export function changesIn(columns: readonly ComparedColumn[]): string[] {
  return columns.flatMap(([column, was, is]) =>
    was === is ? [] : [`${column} was ${JSON.stringify(was ?? null)}, is ${JSON.stringify(is)}`],
  );
}
