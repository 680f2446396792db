import type { App } from '../../app.ts';
import { withoutQuery } from '../../audit/said-url.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { readAct } from '../acts/read-acts.ts';
import { partsOf, type Told } from './read-told.ts';
import { type PostedRow, selectEventsUrlActs } from './told-queries.ts';

/**
 * Returns whether a callback goes where its transaction, its payout, its subscriber or the merchant wants it.
 * `arrived`: when its payment service arrived from another database, which has the subscriptions and the acts from
 * before.
 */
export async function goesWhereItShould(
  app: App,
  { paymentServiceId, environment, eventsUrl }: ServiceEnvironment,
  row: PostedRow,
  told: Told,
  arrived: number,
): Promise<boolean> {
  const { id, subscription } = partsOf(row);
  if (subscription !== null) {
    const urls = told.subscribed.get(subscription);
    return urls === undefined ? row.told_at <= arrived : urls.some((url) => isSame(row.url, url));
  }
  if (row.transaction_id === 0) return isSame(row.url, told.payouts.get(id)?.callback_url ?? null);
  if (row.content_type !== 'application/json') return isSame(row.url, row.url_callback);
  if (row.url === eventsUrl || row.told_at <= arrived) return true;
  // It may have been another one then. Acts have URLs without their query.
  const acts = told.eventsUrlActs.get(paymentServiceId) ?? (await selectEventsUrlActs(app.db, paymentServiceId));
  told.eventsUrlActs.set(paymentServiceId, acts);
  const known = acts.flatMap(({ was, said }) => [readAct(was), readAct(said)]);
  return known.some((act) => act['environment'] === environment && isSame(withoutQuery(row.url), act['url']));
}

/** Erasing a person writes `erased` into each URL that names the person, at different times. */
function isSame(url: string | null, known: unknown): boolean {
  if (url === null || typeof known !== 'string') return false;
  return url === known || isErased(url, known) || isErased(known, url);
}

function isErased(erased: string, url: string): boolean {
  const [first = '', ...parts] = erased.split('erased');
  const last = parts.pop();
  if (last === undefined || !url.startsWith(first) || !url.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    let found = url.indexOf(part, at);
    while (found >= 0 && found < url.length && !isPerson(url.slice(at, found))) found = url.indexOf(part, found + 1);
    if (found < 0 || found === url.length) return false;
    at = found + part.length;
  }
  return isPerson(url.slice(at, url.length - last.length));
}

/** An address or a RUT, or what replaced one. With any other text `erased.cl` would be each host in `.cl`. */
function isPerson(text: string): boolean {
  return text === 'erased' || (!text.includes('/') && /@|%(?:25){0,2}40|(?:\d\D{0,4}){6}/i.test(text));
}
