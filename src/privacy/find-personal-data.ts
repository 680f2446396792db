import type { App } from '../app.ts';
import type { Mail } from '../mail/mail.ts';
import { selectPersonalMails } from '../mail/mail-queries.ts';
import {
  type PersonalAttempt,
  type PersonalCallback,
  selectPersonalAttempts,
  selectPersonalCallbacks,
} from '../outbox/personal-callback-queries.ts';
import { listPayoutsOf } from '../payouts/forget-recipients.ts';
import type { RefusedRequest } from '../refused-requests/refused-request.ts';
import { selectRefusedLike } from '../refused-requests/refused-request-queries.ts';
import { type PersonalTransaction, selectPersonalTransactions } from '../transactions/personal-transaction-queries.ts';
import type { Kept } from './kept.ts';
import { KEPT_PLACES, selectKeptTexts } from './kept-queries.ts';
import type { Person } from './person.ts';

/** Everything that is kept of a person beside validations of bank accounts and recipients, which are found by a hash. */
export type PersonalData = {
  transactions: PersonalTransaction[];
  callbacks: PersonalCallback[];
  delivery_attempts: PersonalAttempt[];
  refused_requests: RefusedRequest[];
  mails: Mail[];
  kept: Kept[];
};

/** Looks through whole tables, part by part, and through what is found with the exact pattern. Reads only. */
export async function findPersonalData(app: App, person: Person): Promise<PersonalData> {
  const { db } = app;
  const { like } = person;
  return {
    transactions: (await selectPersonalTransactions(db, like)).filter((row) =>
      erasableTexts(row).some((text) => person.holds(text)),
    ),
    callbacks: (await selectPersonalCallbacks(db, like)).filter(
      ({ url, body }) => person.holds(url) || person.holds(body),
    ),
    delivery_attempts: (await selectPersonalAttempts(db, like)).filter(({ location, excerpt }) =>
      person.holds(`${location ?? ''} ${excerpt ?? ''}`),
    ),
    refused_requests: (await selectRefusedLike(db, like)).filter(({ detail, detail_es, errors, fields }) =>
      person.holds(`${detail} ${detail_es ?? ''} ${errors} ${fields}`),
    ),
    mails: (await selectPersonalMails(db, like)).filter(({ address }) => person.holds(address)),
    kept: [...(await findKept(app, person)), ...(await keptPayouts(app, person))],
  };
}

function erasableTexts(row: PersonalTransaction): string[] {
  const { customer_email, session_id, url_callback, url_cancel, url_complete, unsigned_fields } = row;
  return [customer_email, session_id, url_callback, url_cancel, url_complete, unsigned_fields ?? ''];
}

/** More than this of one kind nobody reads one by one. */
const MOST_KEPT = 10_000;

async function findKept(app: App, person: Person): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (const place of KEPT_PLACES) {
    const texts = await selectKeptTexts(app.db, place, person.like, MOST_KEPT);
    const rows = texts.filter(({ text }) => person.holds(text)).map(({ name }) => name);
    if (rows.length > 0) kept.push({ kind: place.kind, reason: place.reason, rows });
  }
  return kept;
}

/** Finds payouts to a RUT by its hash; an e-mail address has none there. */
async function keptPayouts(app: App, { kind, name }: Person): Promise<Kept[]> {
  if (kind === 'email') return [];
  const { payouts, files } = await listPayoutsOf(app, name);
  return [
    { kind: 'payouts', reason: 'paid_to' as const, rows: payouts },
    { kind: 'payout_files', reason: 'bank_file' as const, rows: files },
  ].filter(({ rows }) => rows.length > 0);
}
