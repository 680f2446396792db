import type { App } from '../app.ts';
import { selectAuditAfter, selectAuditHead } from '../audit/audit-queries.ts';
import { type AuditRow, auditHash } from '../audit/audit-row.ts';
import { type ChainEnd, type ChainProblem, verifyChain } from '../lib/hash-chain.ts';
import { freshWalks, type OpenWalk } from '../lib/walk.ts';
import { type AnchorSource, AUDIT_CHAINS, verifyAnchors } from './anchors/verify-anchors.ts';
import { collectFindings, type Finding, type Findings } from './proof-finding.ts';
import type { SeenRestore } from './restores/restore.ts';

/** `head` is the end of the audit log. Stored elsewhere, it proves later that no earlier entry was rewritten. */
export type AuditVerification = {
  ok: boolean;
  rows: number;
  head: ChainEnd;
  anchors: readonly AnchorSource[];
  restores: readonly SeenRestore[];
  findings: readonly Finding[];
  found: Findings['counts'];
};

/**
 * `known`: ends of the audit log that were stored elsewhere. `anchorFiles`: anchors in addition to the store and
 * ANCHOR_DIR.
 */
export type AuditEvidence = {
  known?: readonly ChainEnd[];
  anchorFiles?: readonly string[];
  /** The walks report progress, and may resume an interrupted run. Then only the rest is compared with `known`. */
  walks?: OpenWalk;
};

/**
 * Verifies the chain of the audit log and compares it with every anchor. Each row that was changed outside this service
 * is named. Reads only, in pages, while the service runs.
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
