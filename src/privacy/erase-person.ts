import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { eraseValidations } from '../bank-validation/erase-validations.ts';
import { exportValidations } from '../bank-validation/export-validations.ts';
import type { Tx } from '../db/database.ts';
import { deleteMail } from '../mail/mail-queries.ts';
import { selectCallback } from '../outbox/delivery-attempt-queries.ts';
import { deleteCallbacks } from '../outbox/old-callback-queries.ts';
import {
  type PersonalAttempt,
  type PersonalCallback,
  type PersonalEndpoint,
  updateAttemptTexts,
  updateCallbackUrl,
  updateEndpointTexts,
} from '../outbox/personal-callback-queries.ts';
import { countRecipients, eraseRecipients } from '../payouts/recipients/forget-recipients.ts';
import { deleteRefused } from '../refused-requests/refused-request-queries.ts';
import { deleteSearchTerm } from '../search/search-queries.ts';
import { type Terms, termsOf } from '../search/search-term.ts';
import { type PersonalTransaction, updatePersonalTexts } from '../transactions/personal-transaction-queries.ts';
import { findPersonalData, type OnProgress, type PersonalData } from './find-personal-data.ts';
import type { Kept } from './kept.ts';
import { type Person, subjectOf } from './person.ts';

/** How many records of each kind lost the data of the person. */
export type ErasedCounts = {
  validations: number;
  recipients: number;
  transactions: number;
  callbacks: number;
  delivery_attempts: number;
  endpoints: number;
  refused_requests: number;
  mails: number;
};

/**
 * `waiting`: how many payments and callbacks are still open and need the text until they end, also callbacks that a
 * person has sent again during the erasure.
 */
export type Erasure = { erased: number; records: ErasedCounts; waiting: number; kept: Kept[] };

type ErasureOptions = { dryRun?: boolean; reason?: string | null; onProgress?: OnProgress | undefined };

const AT_ONCE = 100;
/** More than needed, unless data of the person comes all the time. What the last search finds counts as waiting. */
const MOST_SEARCHES = 5;

/**
 * Erases what is stored about a person. Deletes validations, recipients, mails, refused requests, and ended callbacks
 * that mention the person. Removes the e-mail address and the shop's objects from transactions, and the person from
 * session ids, URLs and excerpts. Searches again until nothing is found, because data may come meanwhile. The books
 * stay as they are, so `books verify` has the same result. `reason` goes into the audit log, without a name. With
 * `dryRun` it returns the same and changes nothing. `onProgress` receives the table and the rows searched.
 */
export async function erasePerson(
  app: App,
  person: Person,
  by: Actor,
  { dryRun = false, reason = null, onProgress }: ErasureOptions = {},
): Promise<Erasure> {
  let found = await findErasable(app, person, onProgress);
  const { records } = found;
  if (dryRun) return { erased: sumOf(records), records, waiting: found.waiting, kept: found.kept };
  const searches: Erasable[] = [];
  for (let search = 1; search === 1 || (sumOf(found.records) > 0 && search < MOST_SEARCHES); search++) {
    // The audit entry comes first, so that nothing is deleted without a record of who did it, even if the process is
    // killed.
    const act = { action: 'privacy.erased' as const, subject: subjectOf(person), after: found.records, reason };
    await app.db.transaction((tx) => recordAudit(tx, { at: app.now(), by, ...act }));
    searches.push({ ...found, callbacks: await eraseFound(app, person, found) });
    found = await findErasable(app, person, onProgress);
  }
  await app.db.forgetDeleted();
  const gone = countRows(searches);
  return { erased: sumOf(gone), records: gone, waiting: found.waiting + sumOf(found.records), kept: found.kept };
}

type Found = PersonalData & Pick<ErasedCounts, 'validations' | 'recipients'>;
type Erasable = Found & Pick<Erasure, 'records' | 'waiting'>;

/** Finds the data of a person without the transactions and callbacks that need it until they end. */
async function findErasable(app: App, person: Person, onProgress: OnProgress | undefined): Promise<Erasable> {
  const found = await findPersonalData(app, person, onProgress);
  const transactions = found.transactions.filter((row) => !isDeepStrictEqual(withoutPerson(row, person), { ...row }));
  const callbacks = found.callbacks.filter(({ state }) => state !== 'queued');
  const waiting = found.transactions.filter((row) => isWaiting(row, person)).length;
  const all = {
    ...found,
    transactions,
    callbacks,
    validations: await countValidations(app, person),
    recipients: await countRecipients(app, person),
  };
  return { ...all, waiting: waiting + found.callbacks.length - callbacks.length, records: countRows([all]) };
}

/**
 * Counts what several searches found. A row that somebody changed before it was erased is found again: it counts once.
 */
function countRows(searches: readonly Found[]): ErasedCounts {
  const sum = (count: (found: Found) => number) => searches.reduce((total, found) => total + count(found), 0);
  const different = (rows: (found: Found) => readonly { readonly id: number }[]) =>
    new Set(searches.flatMap((found) => rows(found).map(({ id }) => id))).size;
  return {
    validations: sum(({ validations }) => validations),
    recipients: sum(({ recipients }) => recipients),
    transactions: different(({ transactions }) => transactions),
    callbacks: different(({ callbacks }) => callbacks),
    delivery_attempts: different(({ delivery_attempts }) => delivery_attempts),
    endpoints: different(({ endpoints }) => endpoints),
    refused_requests: sum(({ refused_requests }) => refused_requests.length),
    mails: sum(({ mails }) => mails.length),
  };
}

/** Returns the callbacks that were erased: not those that a person has sent again meanwhile. */
async function eraseFound(app: App, person: Person, found: Erasable): Promise<PersonalCallback[]> {
  const { transactions, callbacks, delivery_attempts, endpoints, refused_requests, mails } = found;
  if (person.kind === 'rut') await eraseValidations(app, person.name);
  await eraseRecipients(app, person);
  const terms = await termsOf(app);
  await inBatches(app, transactions, (tx, row) => eraseTransaction(tx, terms, row, person));
  await inBatches(app, delivery_attempts, (tx, row) => updateAttemptTexts(tx, row, redacted(row, person)));
  await inBatches(app, endpoints, (tx, row) => updateEndpointTexts(tx, row, withoutPersonIn(row, person)));
  await inBatches(app, refused_requests, deleteRefused);
  await inBatches(app, mails, deleteMail);
  const sentAgain = new Set<number>();
  await inBatches(app, callbacks, async (tx, row) => {
    await eraseCallback(tx, row, person);
    if ((await selectCallback(tx, row.id))?.state === 'queued') sentAgain.add(row.id);
  });
  return callbacks.filter(({ id }) => !sentAgain.has(id));
}

function sumOf(records: ErasedCounts): number {
  return Object.values(records).reduce((sum, count) => sum + count, 0);
}

async function countValidations(app: App, { kind, name }: Person): Promise<number> {
  return kind === 'email' ? 0 : ((await exportValidations(app, name))?.validations.length ?? 0);
}

/** Returns whether a pending transaction still needs its URLs for the payer. */
function isWaiting({ state, ...row }: PersonalTransaction, person: Person): boolean {
  const texts = [row.session_id, row.url_callback, row.url_cancel, row.url_complete];
  return state === 'pending' && texts.some((text) => person.holds(text));
}

async function eraseTransaction(tx: Tx, terms: Terms, row: PersonalTransaction, person: Person): Promise<void> {
  const { id, environment_id, customer_email } = row;
  await deleteSearchTerm(tx, { term: terms.of('email', customer_email), transaction_id: id, environment_id });
  await updatePersonalTexts(tx, row, withoutPerson(row, person));
}

function withoutPerson(row: PersonalTransaction, person: Person): PersonalTransaction {
  const nameless = { ...row, customer_email: '', unsigned_fields: null };
  if (row.state === 'pending') return nameless;
  return {
    ...nameless,
    session_id: person.redact(row.session_id),
    url_callback: person.redact(row.url_callback),
    url_cancel: person.redact(row.url_cancel),
    url_complete: person.redact(row.url_complete),
  };
}

function redacted(row: PersonalAttempt, person: Person): PersonalAttempt {
  const { location, excerpt } = row;
  return {
    ...row,
    location: location === null ? null : person.redact(location),
    excerpt: excerpt === null ? null : person.redact(excerpt),
  };
}

/**
 * Redacts an endpoint. Its URL gets the query `?erased=<id>`, which no other endpoint has, so it stays unique in its
 * environment.
 */
function withoutPersonIn(row: PersonalEndpoint, person: Person): PersonalEndpoint {
  const { id, address, location } = row;
  return {
    ...row,
    address: person.holds(address) ? `${person.redact(address)}?erased=${id}` : address,
    location: location === null ? null : person.redact(location),
  };
}

/**
 * Erases a callback. Its event proves its bytes, so a changed body would be reported as a fault. A callback whose body
 * mentions the person is deleted.
 */
async function eraseCallback(tx: Tx, row: PersonalCallback, person: Person): Promise<void> {
  if (person.holds(row.body)) await deleteCallbacks(tx, [row]);
  else await updateCallbackUrl(tx, row, person.redact(row.url));
}

async function inBatches<Row>(
  app: App,
  rows: readonly Row[],
  erase: (tx: Tx, row: Row) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await app.db.transaction(async (tx) => {
      for (const row of rows.slice(at, at + AT_ONCE)) await erase(tx, row);
    });
  }
}
