import type { App } from '../../app.ts';
import { hashOfUrl, withoutQuery } from '../../audit/said-url.ts';
import { addWrong, type Findings } from '../proof-finding.ts';
import { selectAuditedSince } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, pagesAfter, pagesById, readAct } from './read-acts.ts';
import {
  type AccountPart,
  type SenderPart,
  selectAccountParts,
  selectAccountTypesSaid,
  selectSenderParts,
  selectServicesAfter,
} from './route-check-queries.ts';
import { verifySecretTokens } from './verify-secret-tokens.ts';

const PAGE = 200;
/** Each page of types reads every act about a type: 20,000 accounts took 14 s in pages of 200. */
const TYPES_AT_ONCE = 2000;

/**
 * Compares where money goes and who may sign for a payment service with the acts that set it: its accounts at payment
 * methods, its sender of payouts, the types of accounts in bank files, and when its Secret Tokens close. What was set
 * before a payment service arrived from another database has its act there.
 */
export async function verifyRoutes(app: App, findings: Findings, arrivals: ReadonlyMap<string, number>): Promise<void> {
  const since = await selectAuditedSince(app.db);
  for await (const services of pagesById(PAGE, (after, limit) => selectServicesAfter(app.db, after, limit))) {
    const ids = services.map(({ id }) => id);
    await verifySecretTokens(app, findings, services, { arrivals, since });
    const accounts = Map.groupBy(await selectAccountParts(app.db, ids), keyOfAccount);
    for (const parts of accounts.values()) verifyAccount(findings, parts, { arrivals, since });
    const senders = Map.groupBy(await selectSenderParts(app.db, ids), ({ environment_id }) => environment_id);
    for (const parts of senders.values()) verifySender(findings, parts, arrivals);
  }
  await verifyAccountTypes(app, findings, arrivals);
}

/** `arrivals`: when payment services arrived; `since`: from when on new ones have their acts. */
type Known = { arrivals: ReadonlyMap<string, number>; since: number };

function keyOfAccount(part: AccountPart): string {
  const { environment, payment_method } = part.action === null ? part : readAct(part.said);
  return `${part.payment_service_id} ${String(environment)} ${String(payment_method)}`;
}

/**
 * Compares the account in use with the last act. An account from before the audit log, or an arrival, may have none.
 */
function verifyAccount(findings: Findings, parts: readonly AccountPart[], { arrivals, since }: Known): void {
  const key = keyOfAccount(parts[0] as AccountPart);
  const arrived = arrivalOf(arrivals, (parts[0] as AccountPart).payment_service_id);
  const rows = parts.filter(({ action }) => action === null);
  const used = rows.filter(({ retired_at }) => retired_at === null);
  const last = parts.findLast(({ action }) => action !== null);
  const isKnown = last !== undefined && last.at > arrived;
  const account = last === undefined ? null : (readAct(last.said)['account'] ?? null);
  const wrong = isKnown
    ? changesIn([
        ['account', account, used.map((one) => one.account).join(' ') || null],
        ['set at', account === null ? null : last.at, used[0]?.at ?? null],
      ])
    : used
        .filter(({ at }) => !(at <= arrived || at < since))
        .map((one) => `${one.account} was never set by this service`);
  report(
    findings,
    { id: rows[0]?.environment_id ?? null, since: last?.at ?? rows[0]?.at ?? null },
    `account of ${key}`,
    wrong,
  );
}

function verifySender(findings: Findings, parts: readonly SenderPart[], arrivals: ReadonlyMap<string, number>): void {
  const { payment_service_id, environment, environment_id } = parts[0] as SenderPart;
  const arrived = arrivalOf(arrivals, payment_service_id);
  const acts = parts.filter(({ action }) => action !== null);
  const rows = parts.filter(({ action }) => action === null);
  const last = acts.at(-1);
  const wrong = rows.flatMap((row) => {
    if (row.retired_at === null && last !== undefined && last.at > arrived) {
      return isSetBy(row, last) ? [] : [`it is ${sayUrl(row)}, and the audit log has ${sayAct(last)}`];
    }
    const act = acts.find((one) => isSetBy(row, one));
    if (act === undefined) return row.at <= arrived ? [] : [`${sayUrl(row)} was never set by this service`];
    const isEnded = acts.some((one) => Number(one.link) > Number(act.link) && one.at === row.retired_at);
    return isEnded || row.retired_at === null || row.retired_at <= arrived ? [] : [`${sayUrl(row)} was never removed`];
  });
  const isGone =
    last?.action === 'payout.sender_set' && last.at > arrived && rows.every((one) => one.retired_at !== null);
  if (isGone) wrong.push(`nothing sends payouts, and the audit log has ${sayAct(last)}`);
  const subject = `sender of payouts of ${payment_service_id} in ${environment}`;
  report(findings, { id: environment_id, since: last?.at ?? rows[0]?.at ?? null }, subject, wrong);
}

/** Acts of earlier versions have the URL without its query alone, and the first ones the whole URL. */
function isSetBy({ kind, url, at, by }: SenderPart, act: SenderPart): boolean {
  if (act.action !== 'payout.sender_set' || act.at !== at || act.by !== by) return false;
  const said = readAct(act.said);
  const hash = said['url_sha256'];
  const isUrl = said['url'] === url || said['url'] === withoutQuery(url);
  return said['kind'] === kind && isUrl && (hash === undefined || hash === hashOfUrl(url));
}

function sayUrl({ kind, url }: SenderPart): string {
  return withoutQuery(url) ?? kind;
}

function sayAct({ said, at }: SenderPart): string {
  const { url, kind } = readAct(said) as { url?: string | null; kind?: string };
  return `${url ?? kind ?? 'none'} at ${at}`;
}

/** Compares the types of accounts with the last act about a payout to each of them. */
async function verifyAccountTypes(app: App, findings: Findings, arrivals: ReadonlyMap<string, number>): Promise<void> {
  const begin = { environment_id: 0, account_hash: '' };
  const pages = pagesAfter(begin, TYPES_AT_ONCE, (after, limit) => selectAccountTypesSaid(app.db, after, limit));
  for await (const rows of pages) {
    for (const row of rows) {
      const { environment_id: id, account_type, set_at, set_by, said, said_at, said_by } = row;
      if (set_at <= arrivalOf(arrivals, row.payment_service_id)) continue;
      const wrong =
        said_at === null
          ? ['it was never set by this service']
          : changesIn([
              ['account_type', readAct(said)['type'], account_type],
              ['set_at', said_at, set_at],
              ['set_by', said_by, set_by],
            ]);
      report(findings, { id, since: said_at ?? set_at }, `type of an account in environment ${id}`, wrong);
    }
  }
}

function report(
  findings: Findings,
  { id, since }: { id: number | null; since: number | null },
  subject: string,
  wrong: readonly string[],
): void {
  addWrong(findings, { finding: 'payment_service_changed', environment_id: id, subject, since }, wrong);
}
