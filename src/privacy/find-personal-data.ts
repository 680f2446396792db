import type { App } from '../app.ts';
import type { Mail } from '../mail/mail.ts';
import { selectPersonalMails } from '../mail/mail-queries.ts';
import {
  type PersonalAttempt,
  type PersonalCallback,
  type PersonalEndpoint,
  selectPersonalAttempts,
  selectPersonalCallbacks,
  selectPersonalEndpoints,
} from '../outbox/personal-callback-queries.ts';
import { listPayoutsOf } from '../payouts/recipients/forget-recipients.ts';
import type { RefusedRequest } from '../refused-requests/refused-request.ts';
import { selectRefusedLike } from '../refused-requests/refused-request-queries.ts';
import { type PersonalTransaction, selectPersonalTransactions } from '../transactions/personal-transaction-queries.ts';
import type { Kept } from './kept.ts';
import { KEPT_PLACES, selectKeptTexts } from './kept-queries.ts';
import type { Person } from './person.ts';

/** All data of a person except validations of bank accounts and recipients, which are found by a hash. */
export type PersonalData = {
  transactions: PersonalTransaction[];
  callbacks: PersonalCallback[];
  delivery_attempts: PersonalAttempt[];
  endpoints: PersonalEndpoint[];
  refused_requests: RefusedRequest[];
  mails: Mail[];
  kept: Kept[];
};

/** Receives the table that is searched, and the number of its rows searched. */
export type OnProgress = (what: string, rows: number) => void;

/** Searches whole tables part by part, and checks the matches with the exact pattern. Reads only. */
export async function findPersonalData(
  app: App,
  person: Person,
  onProgress: OnProgress = () => {},
): Promise<PersonalData> {
  const { db } = app;
  const { like } = person;
  const asked = <Row>(what: string, isWanted: (row: Row) => boolean) => {
    return { isWanted, onRows: (rows: number) => onProgress(what, rows) };
  };
  const holds = (text: string) => person.holds(text);
  return {
    transactions: await selectPersonalTransactions(
      db,
      like,
      asked('transactions', (row) => erasableTexts(row).some(holds)),
    ),
    callbacks: await selectPersonalCallbacks(
      db,
      like,
      asked('callbacks', ({ url, body }) => holds(url) || holds(body)),
    ),
    delivery_attempts: await selectPersonalAttempts(
      db,
      like,
      asked('delivery attempts', ({ location, excerpt }) => holds(`${location ?? ''} ${excerpt ?? ''}`)),
    ),
    endpoints: await selectPersonalEndpoints(
      db,
      like,
      asked('endpoints', ({ address, location }) => holds(`${address} ${location ?? ''}`)),
    ),
    refused_requests: await selectRefusedLike(
      db,
      like,
      asked('refused requests', ({ detail, detail_es, errors, fields }) =>
        holds(`${detail} ${detail_es ?? ''} ${errors} ${fields}`),
      ),
    ),
    mails: await selectPersonalMails(
      db,
      like,
      asked('mails', ({ address }) => holds(address)),
    ),
    kept: [...(await findKept(app, person, onProgress)), ...(await keptPayouts(app, person))],
  };
}

function erasableTexts(row: PersonalTransaction): string[] {
  const { customer_email, session_id, url_callback, url_cancel, url_complete, unsigned_fields } = row;
  return [customer_email, session_id, url_callback, url_cancel, url_complete, unsigned_fields ?? ''];
}

/** The most records of one kind to list: nobody reads more one by one. */
const MOST_KEPT = 10_000;

async function findKept(app: App, person: Person, onProgress: OnProgress): Promise<Kept[]> {
  const kept = new Map<string, Kept>();
  for (const place of KEPT_PLACES) {
    const { kind, reason } = place;
    const onRows = (rows: number) => onProgress(place.walk.table.replaceAll('_', ' '), rows);
    const isWanted = ({ text }: { text: string }) => person.holds(text);
    const texts = await selectKeptTexts(app.db, place, person.like, { isWanted, limit: MOST_KEPT, onRows });
    const rows = texts.map(({ name }) => name);
    // Several tables may have one kind, and a merchant is named in four places.
    const before = kept.get(kind)?.rows ?? [];
    if (rows.length > 0) kept.set(kind, { kind, reason, rows: [...new Set([...before, ...rows])] });
  }
  return [...kept.values()];
}

/** Finds payouts to a RUT by its hash. Payouts have no hash of an e-mail address. */
async function keptPayouts(app: App, { kind, name }: Person): Promise<Kept[]> {
  if (kind === 'email') return [];
  const { payouts, files } = await listPayoutsOf(app, name);
  return [
    { kind: 'payouts', reason: 'paid_to' as const, rows: payouts },
    { kind: 'payout_files', reason: 'bank_file' as const, rows: files },
  ].filter(({ rows }) => rows.length > 0);
}
