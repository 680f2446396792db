import type { Place, Walk } from '../lib/walk.ts';

/** The kinds of findings, in the words of `books verify` and `audit verify`. */
export type FindingKind =
  | 'owner_changed'
  | 'fee_changed'
  | 'refund_changed'
  | 'payout_changed'
  | 'decision_changed'
  | 'fact_changed'
  | 'fact_missing'
  | 'event_changed'
  | 'event_missing'
  | 'event_added'
  | 'callback_changed'
  | 'restore_changed'
  | 'audit_changed'
  | 'audit_missing'
  | 'audit_added'
  | 'anchor_lost'
  | 'anchor_missing'
  | 'anchor_contradicts'
  | 'anchor_forged';

/**
 * One thing that somebody changed past this service. `subject` names it, such as `evt_1001_2` or a refund's id; `since` is
 * when the record was made that it no longer fits, in UTC milliseconds; `says` is for a person.
 */
export type Finding = {
  finding: FindingKind;
  environment_id: number | null;
  subject: string;
  since: number | null;
  says: string;
};

/** More of one kind are counted and not named: one change can concern millions of rows. */
const NAMED_OF_A_KIND = 200;

export type Findings = {
  add(finding: Finding): void;
  /** In the order in which they were found. */
  readonly named: readonly Finding[];
  /** How many there are of each kind, named or not. */
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>;
};

/** Takes findings and keeps no more of them than a person can read; none of the environments that are `left` out. */
export function collectFindings(left: ReadonlySet<number> = new Set()): Findings {
  const named: Finding[] = [];
  const counts: Partial<Record<FindingKind, number>> = {};
  const add = (finding: Finding) => {
    if (finding.environment_id !== null && left.has(finding.environment_id)) return;
    const count = (counts[finding.finding] ?? 0) + 1;
    counts[finding.finding] = count;
    if (count <= NAMED_OF_A_KIND) named.push(finding);
  };
  return { add, named, counts };
}

/** Findings of a walk, which keeps no place behind the first of them. */
export function stopping<At extends Place>(findings: Findings, walk: Walk<At>): Findings {
  const add = (finding: Finding) => {
    walk.found();
    findings.add(finding);
  };
  return { ...findings, add };
}
