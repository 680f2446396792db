import type { App } from '../app.ts';
import { selectAuditHead } from '../audit/audit-queries.ts';
import { sayBalance, sayProblem, sayRecord } from '../books/say-problem.ts';
import type { AnchorSource } from './anchors/verify-anchors.ts';
import type { FindingKind } from './proof-finding.ts';
import type { StoreVerification } from './verify-store.ts';

/** The kinds of what a verification finds: findings, links of the books, records and stored sums. */
export type ReportKind = FindingKind | 'books_changed' | 'record_changed' | 'balance_changed';

/** One wrong place. `es`: the sentence in Spanish; null: it is only in English. `since` is in UTC milliseconds. */
export type ReportLine = {
  kind: ReportKind;
  environment_id: number | null;
  since: number | null;
  en: string;
  es: string | null;
};

/**
 * The result of a verification, small enough to be stored. `lines`: the first of each kind; `found`: the number
 * of each kind. `acts`: the length of the audit log that people's acts were read from. `older`: users from before that
 * log. `outside`: the sources of anchors outside the store.
 */
export type VerificationReport = {
  ok: boolean;
  environments: number;
  entries: number;
  facts: number;
  events: number;
  waiting: number;
  callbacks: number;
  users: number;
  older: number;
  acts: number;
  anchors: number;
  outside: readonly AnchorSource[];
  lines: readonly ReportLine[];
  found: Readonly<Partial<Record<ReportKind, number>>>;
};

/** The most lines of a kind, and their length: a person who changes the store also chooses how much there is to say. */
const LINES_OF_A_KIND = 50;
const LONGEST_LINE = 500;

/** Returns the part of a verification that is stored and shown. */
export async function reportOf(app: App, verification: StoreVerification): Promise<VerificationReport> {
  const { ok, environments, entries, facts, callbacks, feed, rights } = verification;
  const { problems, records, balances, findings, found } = verification;
  const [store, ...outside] = verification.anchors;
  const named = findings.map(({ finding, environment_id, since, says }) => {
    return { kind: finding, environment_id, since, en: cut(says), es: null };
  });
  return {
    ok,
    environments,
    entries,
    facts,
    events: feed.sealed,
    waiting: feed.waiting,
    callbacks,
    ...rights,
    acts: (await selectAuditHead(app.db))?.link ?? 0,
    anchors: store?.anchors ?? 0,
    outside,
    lines: [
      ...linesOf('books_changed', problems, sayProblem),
      ...linesOf('record_changed', records, sayRecord),
      ...linesOf('balance_changed', balances, sayBalance),
      ...[...Map.groupBy(named, ({ kind }) => kind).values()].flatMap((lines) => lines.slice(0, LINES_OF_A_KIND)),
    ],
    found: {
      ...(problems.length > 0 && { books_changed: problems.length }),
      ...(records.length > 0 && { record_changed: records.length }),
      ...(balances.length > 0 && { balance_changed: balances.length }),
      ...found,
    },
  };
}

function linesOf<Wrong extends { environment_id: number }>(
  kind: ReportKind,
  wrong: readonly Wrong[],
  say: (one: Wrong) => { en: string; es: string },
): ReportLine[] {
  return wrong.slice(0, LINES_OF_A_KIND).map((one) => {
    const { en, es } = say(one);
    return { kind, environment_id: one.environment_id, since: null, en: cut(en), es: cut(es) };
  });
}

function cut(text: string): string {
  return text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)}…`;
}
