import type { App } from '../app.ts';
import { randomToken } from '../lib/ids.ts';
import type { Mailer, MailMessage, MailOutcome } from '../lib/network/mailer.ts';
import { MAIL_LEASE_MS, type Mail, waitAfter } from './mail.ts';
import { claimMails, deleteMailsBefore, hasDueMails, type MailChange, updateMail } from './mail-queries.ts';

/** Writes a mail from the present state of the store; null if there is nothing to tell any more. */
export type WriteMail = (app: App, mail: Mail) => Promise<MailMessage | null>;

const AT_ONCE = 8;

/**
 * Sends due mails, each under a lease and at least once. Returns how many were tried. A failed mail is retried for
 * about two days; then a person decides.
 */
export async function deliverMails(app: App, write: WriteMail): Promise<number> {
  const { mailer } = app;
  const now = app.now();
  if (mailer === null || !(await hasDueMails(app.db, now))) return 0;
  const claim = { lease: randomToken(12), now, until: now + MAIL_LEASE_MS, limit: AT_ONCE };
  const claimed = await app.db.transaction((tx) => claimMails(tx, claim));
  await Promise.all(claimed.map((mail) => deliver(app, mailer, write, mail)));
  return claimed.length;
}

async function deliver(app: App, mailer: Mailer, write: WriteMail, mail: Mail): Promise<void> {
  const outcome = await attempt(app, mailer, write, mail);
  const change = changeOf(mail, outcome, app.now());
  await app.db.transaction((tx) => updateMail(tx, mail, change));
  if (change.state === 'dead') app.log.warn({ mail: mail.id, failure: change.failure }, 'a mail was given up');
}

async function attempt(app: App, mailer: Mailer, write: WriteMail, mail: Mail): Promise<MailOutcome | null> {
  try {
    const message = await write(app, mail);
    return message === null ? null : await mailer.send(message);
  } catch (err) {
    app.log.error({ err, mail: mail.id }, 'a mail could not be written');
    return { kind: 'failed', reason: 'it could not be written: see the log' };
  }
}

function changeOf({ attempts, next_attempt_at }: Mail, outcome: MailOutcome | null, at: number): MailChange {
  const ended = { nextAttemptAt: next_attempt_at, finishedAt: at };
  if (outcome === null) return { ...ended, state: 'ended', failure: null };
  if (outcome.kind === 'sent') return { ...ended, state: 'sent', failure: null };
  const { reason: failure } = outcome;
  const wait = outcome.kind === 'refused' ? null : waitAfter(attempts + 1);
  if (wait === null) return { ...ended, state: 'dead', failure };
  return { state: 'queued', nextAttemptAt: at + wait, finishedAt: null, failure };
}

const KEPT_MS = 30 * 86_400_000;

/**
 * Deletes mails that ended 30 days ago, with their addresses, at most `limit`. Returns how many. Skips the environments
 * of `findArriving`, because their mails are being compared with the source of a move.
 */
export async function deleteOldMails(
  app: App,
  findArriving: () => Promise<ReadonlySet<number>>,
  limit: number,
): Promise<number> {
  const now = app.now();
  const kept = [...(await findArriving())];
  return app.db.transaction((tx) => deleteMailsBefore(tx, now - KEPT_MS, kept, limit));
}
