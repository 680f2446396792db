import type { Tx } from '../db/database.ts';
import type { Actor } from './actor.ts';
import type { AuditAction } from './audit-action.ts';
import { advanceAudit, insertAudit } from './audit-queries.ts';
import { auditHash } from './audit-row.ts';

/** The values in an audit record. Never a secret, a RUT, an account or a payer's e-mail address. */
export type AuditValues = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An act without its place in the chain. */
export type Act = {
  /** UTC milliseconds. */
  at: number;
  by: Actor;
  action: AuditAction;
  /** The object of the act, such as `refund` and its id. */
  subject: { kind: string; id: string };
  before?: AuditValues | null;
  after?: AuditValues | null;
  /** The reason, where money moves. Names no person. */
  reason?: string | null;
  /** The only environment that the act touches; its user must still see it. Absent: all that they saw. */
  environmentId?: number;
};

/**
 * Records who did something, in the commit of the act. Call it last, after `postEntries`: the end of the chain is one
 * row for the whole store, and all acts queue for it. Never call it for `POST /trxs` or a validation. Throws as
 * `by.requireStill` does.
 */
export async function recordAudit(tx: Tx, act: Act): Promise<void> {
  const { by, action, subject, reason = null } = act;
  const head = await advanceAudit(tx);
  // The last wait of every act. Who disables the user waits here too, and so comes before this check or after the act.
  await by.requireStill?.(tx, act.environmentId);
  const row = {
    link: head.link,
    created_at: act.at,
    actor_kind: by.kind,
    actor: by.name,
    user_id: by.userId,
    origin: by.origin,
    action,
    subject_kind: subject.kind,
    subject: subject.id,
    said_before: textOf(act.before),
    said_after: textOf(act.after),
    reason,
  };
  await insertAudit(tx, { ...row, hash: auditHash(head.hash, row) });
}

function textOf(values: AuditValues | null | undefined): string | null {
  return values === null || values === undefined ? null : JSON.stringify(values);
}
