import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { dayOf, shiftDay } from '../../lib/calendar-day.ts';
import { readDay } from '../../lib/read-day.ts';
import { findListedLink } from '../../payment-links/find-payment-link.ts';
import { listPayouts } from '../../payouts/find-payout.ts';
import { listRefusedRequests } from '../../refused-requests/list-refused-requests.ts';
import { readAmounts, readSearch } from '../../search/read-search.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { addressQuery } from '../kept-typing.ts';

/**
 * Returns the path for a text with the form of an id of payouts or statements; null for other texts or if the person
 * may not see it.
 */
export function payoutPlace({ user }: ConsoleVisit, text: string): string | null {
  if (!user.may.has('recipients:read')) return null;
  if (/^st_\w{1,60}$/.test(text)) return user.may.has('books:read') ? `/statements/${text}` : null;
  const [, kind] = /^(po|pb|rcp|pf)_\w{1,60}$/.exec(text) ?? [];
  return kind === undefined ? null : `/${PAYOUT_PLACES[kind as keyof typeof PAYOUT_PLACES]}/${text}`;
}

const PAYOUT_PLACES = { po: 'payouts', pb: 'batches', rcp: 'recipients', pf: 'payout-files' } as const;

/**
 * Returns the path that a text names when no payment matches it: of a day, a payee, a payout, a payment link or a
 * refused request.
 */
export async function otherPlace(app: App, visit: ConsoleVisit, text: string): Promise<string | null> {
  return (
    dayPlace(app, visit, text) ??
    payeePlace(visit, text) ??
    (await namedPayoutPlace(app, visit, text)) ??
    (await linkPlace(app, visit, text)) ??
    requestPlace(app, visit, text)
  );
}

/**
 * Returns the list for an amount and a day in either order, such as `12.990 24/11`, `12.990 hoy`, `12.990 el viernes`
 * or `12.990 28 de octubre`, as a payer says them, or for a day with a name alone; null for other texts.
 */
function dayPlace(app: App, visit: ConsoleVisit, text: string): string | null {
  const today = dayOf(app.now());
  const numbered = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(NAMED_DAY, withNumbers)
    .replace(WEEKDAY, (_, name: string) => lastWeekday(name, today));
  const words = numbered.split(' ');
  const [first = ''] = words;
  const said = (DAY.test(first) ? words.shift() : words.pop())?.toLowerCase() ?? '';
  const amount = words.join(' ');
  const isDayAlone = amount === '' && numbered !== text;
  if (!DAY.test(said) || !(isDayAlone || readAmounts(amount).length > 0)) return null;
  const back = DAYS_BACK[said];
  const day = back === undefined ? said : shiftDay(today, -back);
  const year = Number(today.slice(0, 4));
  // A day without a year is the last such day. A year may have two digits.
  const written = day.replaceAll('/', '-').replace(/^(?<start>\d{1,2}-\d{1,2}-)(?<year>\d{2})$/, '$<start>20$<year>');
  const since = [written, `${written}-${year}`, `${written}-${year - 1}`]
    .map(readDay)
    .find((one) => one !== null && one <= today);
  return since ? `/payments?${addressQuery(visit, { amount, since, until: since })}` : null;
}

/** Writes a day such as `28 de octubre de 2026`, or `28 oct 2026` as on a receipt, with numbers. */
function withNumbers(_: string, day: string, month: string, year: string | undefined): string {
  const number = MONTHS.findIndex((one) => one.startsWith(month.slice(0, 3).toLowerCase())) + 1;
  return [day, number, year].filter((part) => part !== undefined).join('-');
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');
const MONTH = [...MONTHS, 'sept', ...MONTHS.map((month) => month.slice(0, 3))].join('|');
const NAMED_DAY = new RegExp(`(?<!\\S)(\\d{1,2})(?: de)? (${MONTH})\\.?(?: (?:del? )?(20\\d\\d))?(?!\\S)`, 'i');

/** Returns the last day with this name before today: a payer calls today `hoy`. */
function lastWeekday(name: string, today: string): string {
  const plain = name.toLowerCase().replace('é', 'e').replace('á', 'a');
  const since = new Date(`${today}T00:00:00Z`).getUTCDay() - (WEEKDAYS.indexOf(plain) % 7);
  return shiftDay(today, -(since > 0 ? since : since + 7));
}

const WEEKDAYS = [
  'domingo lunes martes miercoles jueves viernes sabado',
  'sunday monday tuesday wednesday thursday friday saturday',
].flatMap((names) => names.split(' '));
const WEEKDAY = new RegExp(`(?<!\\S)(?:el |on )?(${WEEKDAYS.join('|')}|miércoles|sábado)(?!\\S)`, 'i');

const DAYS_BACK: Readonly<Record<string, number>> = { hoy: 0, today: 0, ayer: 1, yesterday: 1, anteayer: 2 };
const DAY = new RegExp(`^(?:\\d{1,4}[/-]\\d{1,2}(?:[/-]\\d{1,4})?|${Object.keys(DAYS_BACK).join('|')})$`, 'i');

/** Returns the recipients with this RUT. */
function payeePlace(visit: ConsoleVisit, text: string): string | null {
  const { canonical } = readRut(text);
  if (canonical === null || !visit.user.may.has('recipients:read')) return null;
  return `/recipients?${addressQuery(visit, { rut: canonical })}`;
}

/** Returns the path of the payouts with this reference, or null. */
async function namedPayoutPlace(app: App, visit: ConsoleVisit, reference: string): Promise<string | null> {
  const { user } = visit;
  if (!user.may.has('recipients:read')) return null;
  const [found] = await listPayouts(app, user.environmentIds, { reference }, { limit: 1 });
  return found === undefined ? null : `/payouts?${addressQuery(visit, { text: reference })}`;
}

/** Returns the path of the list with this payment link, or null. */
async function linkPlace(app: App, visit: ConsoleVisit, text: string): Promise<string | null> {
  const [reading] = readSearch(text);
  if (reading?.by !== 'payment_link' || !mayAny(visit.user.may, readWith('tokens:manage'))) return null;
  const link = await findListedLink(app, reading.id, visit.user.environmentIds);
  return link === null ? null : `/merchants/${link.payment_service}/links?${addressQuery(visit, { text: link.id })}`;
}

/**
 * Returns the path of the refused request whose `request_id` is the text, or null. Shops get the `request_id` in the
 * refusal.
 */
async function requestPlace(app: App, { user }: ConsoleVisit, text: string): Promise<string | null> {
  // The former version gave out twelve characters.
  if (!/^(?:[0-9a-f]{18}|[\w-]{12})$/.test(text)) return null;
  const search = { environmentIds: user.environmentIds, requestId: text };
  const [found] = (await listRefusedRequests(app, search, 1)).requests;
  return found === undefined ? null : `/requests/${found.request_id}`;
}
