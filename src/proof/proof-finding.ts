import type { Place, Walk } from '../lib/walk.ts';

/** The kinds of findings in `books verify` and `audit verify`. */
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
  | 'month_changed'
  | 'funds_rule_changed'
  | 'payout_limits_changed'
  | 'recipient_changed'
  | 'payout_file_changed'
  | 'bank_list_changed'
  | 'statement_changed'
  | 'settlement_changed'
  | 'webhook_changed'
  | 'rights_changed'
  | 'refund_day_changed'
  | 'payment_service_changed'
  | 'payment_link_changed'
  | 'audit_changed'
  | 'audit_missing'
  | 'audit_added'
  | 'key_changed'
  | 'anchor_lost'
  | 'anchor_missing'
  | 'anchor_contradicts'
  | 'anchor_forged';

/**
 * A change that was made outside this service. `subject` names it, such as `evt_1001_2` or a refund's id. `since` is
 * when the record that it contradicts was made, in UTC milliseconds. `says` is a sentence for a person.
 */
export type Finding = {
  finding: FindingKind;
  environment_id: number | null;
  subject: string;
  since: number | null;
  says: string;
};

/** The most deleted objects of a kind to look for. */
export const GONE = 1000;

/** Further findings of a kind are only counted: one change can affect millions of rows. */
const NAMED_OF_A_KIND = 200;

export type Findings = {
  add(finding: Finding): void;
  /** In the order of discovery. */
  readonly named: readonly Finding[];
  /** The number of findings of each kind, named or not. */
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>;
};

/** Collects findings, and keeps only as many as a person can read. Ignores the environments in `left`. */
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

/** Adds one finding with everything that is wrong with an object (`named`, for a person); none if nothing is. */
export function addWrong(
  findings: Findings,
  about: Omit<Finding, 'says'>,
  wrong: readonly string[],
  named: string = about.subject,
): void {
  if (wrong.length > 0) findings.add({ ...about, says: `${named}: ${wrong.join('; ')}` });
}

/** Collects the findings of a walk, which stores no place after the first finding. */
export function stopping<At extends Place>(findings: Findings, walk: Walk<At>): Findings {
  const add = (finding: Finding) => {
    walk.found();
    findings.add(finding);
  };
  return { ...findings, add };
}
