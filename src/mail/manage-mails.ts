import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import type { Mail, MailState } from './mail.ts';
import { type ListedMail, lockMailAnywhere, markEnded, requeueMail, selectMails } from './mail-queries.ts';

/**
 * Lists the newest mails of a state, or the oldest; null: waiting or given up. `elsewhere`: environments that another
 * database now serves and sends for.
 */
export function listMails(
  app: App,
  state: MailState | null,
  limit: number,
  elsewhere: ReadonlySet<number>,
  first: 'newest' | 'oldest' = 'newest',
): Promise<ListedMail[]> {
  return selectMails(app.db, { state: state ?? '', first, limit }, [...elsewhere]);
}

/**
 * The result of a decision about a mail. `no`: its present state does not allow it, for example while it is being sent.
 */
export type MailDecision = 'done' | 'no' | 'unknown';

/** The mail as the person saw it. In another state nothing is done: `no`. */
type SeenMail = Pick<Mail, 'state' | 'attempts'>;

/** Sends a mail again from the first attempt, even if it was sent. */
export function resendMail(app: App, id: string, by: Actor, seen?: SeenMail): Promise<MailDecision> {
  return decide(app, { id, by, seen, action: 'mail.resent' }, requeueMail);
}

/** Ends a mail that waits or was given up. */
export function endMail(app: App, id: string, by: Actor, seen?: SeenMail): Promise<MailDecision> {
  return decide(app, { id, by, seen, action: 'mail.ended' }, markEnded);
}

function decide(
  app: App,
  { id, by, seen, action }: { id: string; by: Actor; seen: SeenMail | undefined; action: 'mail.resent' | 'mail.ended' },
  change: (tx: Tx, id: string, now: number) => Promise<boolean>,
): Promise<MailDecision> {
  return app.db.transaction(async (tx) => {
    const mail = await lockMailAnywhere(tx, id);
    if (mail === null) return 'unknown';
    if (seen !== undefined && (seen.state !== mail.state || seen.attempts !== mail.attempts)) return 'no';
    const at = app.now();
    if (!(await change(tx, id, at))) return 'no';
    await recordAudit(tx, { at, by, action, subject: { kind: 'mail', id }, before: { state: mail.state } });
    return 'done';
  });
}
