import type { App } from '../app.ts';
import { selectAuditAfter, selectAuditHead } from '../audit/audit-queries.ts';
import { type AuditRow, auditHash } from '../audit/audit-row.ts';
import { type ChainEnd, type ChainProblem, verifyChain } from '../lib/hash-chain.ts';
import { freshWalks, type OpenWalk } from '../lib/walk.ts';
import { collectFindings, type Finding, type Findings } from './proof-finding.ts';
import type { SeenRestore } from './restore.ts';
import { type AnchorSource, AUDIT_CHAINS, verifyAnchors } from './verify-anchors.ts';

/** `head` is where the audit log ends: kept elsewhere, it shows later that nothing before it was rewritten. */
export type AuditVerification = {
  ok: boolean;
  rows: number;
  head: ChainEnd;
  anchors: readonly AnchorSource[];
  restores: readonly SeenRestore[];
  findings: readonly Finding[];
  found: Findings['counts'];
};

/** `known`: ends of the audit log that were kept elsewhere. `anchorFiles`: anchors beside the anchors in the store and in ANCHOR_DIR. */
export type AuditEvidence = {
  known?: readonly ChainEnd[];
  anchorFiles?: readonly string[];
  /** They are told how far it is, and may go on where an interrupted run stood: then `known` is only held against what is read. */
  walks?: OpenWalk;
};

/**
 * Computes the chain of the audit log again and holds it against every anchor there is. Each place that somebody changed past
 * this service is named by its row. Reads only, in pages, and runs beside a service that goes on.
 */
export async function verifyAudit(
  app: App,
  { known = [], anchorFiles = [], walks = freshWalks() }: AuditEvidence = {},
): Promise<AuditVerification> {
  const findings = collectFindings();
  const { links, end } = await verifyChain<AuditRow>({
    read: (after, limit) => selectAuditAfter(app.db, after, limit),
    readEnd: () => selectAuditHead(app.db),
    hashOf: auditHash,
    known,
    found: (problem, from, until, row) =>
      findings.add({
        finding: KINDS[problem],
        environment_id: null,
        subject: `row ${from}`,
        since: Number.isSafeInteger(row?.created_at) ? (row?.created_at ?? null) : null,
        says: SAYS[problem](from === until ? `row ${from}` : `rows ${from} to ${until}`, row),
      }),
    walk: walks('audit', 'rows'),
  });
  const { anchors, restores } = await verifyAnchors(app, anchorFiles, findings, AUDIT_CHAINS);
  return {
    ok: findings.named.length === 0,
    rows: links,
    head: end,
    anchors,
    restores,
    findings: findings.named,
    found: findings.counts,
  };
}

const KINDS = {
  changed: 'audit_changed',
  missing: 'audit_missing',
  surplus: 'audit_added',
  cut: 'audit_missing',
  rewritten: 'audit_changed',
  headless: 'audit_missing',
} as const;

const SAYS: Record<ChainProblem, (place: string, row: AuditRow | null) => string> = {
  changed: (place, row) => `${place} (${row?.action} by ${row?.actor}), or the hash before it, was changed`,
  missing: (place) => `${place} of the audit log: deleted`,
  surplus: (place, row) => `${place} (${row?.action} by ${row?.actor}) was never written by this service`,
  cut: (place) => `${place} of the audit log: cut off, the log went on to there`,
  rewritten: (place, row) =>
    `${place} (${row?.action} by ${row?.actor}) is not what was there when its hash was kept: the log was computed anew`,
  headless: () => 'the end of the audit log was deleted',
};
