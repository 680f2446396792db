import type { App } from '../../app.ts';
import { hashOfUrl } from '../../audit/said-url.ts';
import { endpointAddress } from '../../outbox/endpoints/endpoint-address.ts';
import { addWrong, type Findings } from '../proof-finding.ts';
import { selectUserIds, selectWebhookParts, type WebhookPart } from './access-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { pagesById, readAct } from './read-acts.ts';

const PAGE = 500;

/**
 * Compares the webhooks of users with the acts that set and ended them: who changes the URL of one gets what it tells
 * of payouts and refunds. The acts have the URL without its query, and its hash.
 */
export async function verifyWebhooks(app: App, findings: Findings): Promise<void> {
  for await (const users of pagesById(PAGE, (after, limit) => selectUserIds(app.db, after, limit))) {
    const ids = users.map(({ id }) => id);
    const byWebhook = Map.groupBy(await selectWebhookParts(app.db, ids), keyOf);
    for (const [key, parts] of byWebhook) {
      const acts = parts.filter(({ action }) => action !== null);
      const rows = parts.filter(({ action }) => action === null);
      const wrong = [...rows.flatMap((row) => wrongRow(row, acts)), ...wrongCount(rows, acts)];
      const since = acts.at(-1)?.at ?? null;
      addWrong(findings, { finding: 'webhook_changed', environment_id: null, subject: `webhook ${key}`, since }, wrong);
    }
  }
}

function keyOf(part: WebhookPart): string {
  const webhook = part.action === null ? part.webhook : (readAct(part.said)['webhook'] ?? readAct(part.was)['webhook']);
  return `${String(webhook)} of user ${part.user_id}`;
}

/** A subscription ends with the next act about the webhook. Acts of earlier versions have no method and no hash. */
function wrongRow({ id, url, method, at, ended_at }: WebhookPart, acts: readonly WebhookPart[]): string[] {
  const isSame = (act: WebhookPart) => {
    const said = readAct(act.said);
    const isMethod = said['method'] === undefined || said['method'] === method;
    const isUrl = said['address'] === addressOf(url) && (said['url_sha256'] ?? hashOfUrl(url)) === hashOfUrl(url);
    return act.action === 'webhook.set' && act.at === at && isMethod && isUrl;
  };
  const made = acts.findIndex(isSame);
  if (made < 0) return [`${id} to ${addressOf(url)} was never set by this service`];
  const ends = acts.flatMap((act, place) => (isSame(act) ? [acts[place + 1]?.at ?? null] : []));
  return ends.includes(ended_at) ? [] : changesIn([['ended_at', ends.at(-1), ended_at]]);
}

function wrongCount(rows: readonly WebhookPart[], acts: readonly WebhookPart[]): string[] {
  const set = acts.filter(({ action }) => action === 'webhook.set').length;
  return rows.length < set ? changesIn([['times set', set, rows.length]]) : [];
}

/** A URL that somebody wrote into the store may be none. */
function addressOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? endpointAddress(url) : url;
}
