import type { App } from '../app.ts';
import type { AuditFilter } from './audit-queries.ts';
import { type ListedAct, listAudit } from './list-audit.ts';

/**
 * Returns who set each of these webhooks of a user last, by its name: an account, with its API token if one acted. After
 * a token was stolen this tells which webhooks its thief made, also behind any number of later acts.
 */
export async function whoSetWebhooks(
  app: App,
  userId: string,
  webhooks: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const setters = new Map<string, string>();
  const left = new Set(webhooks);
  if (left.size === 0) return setters;
  for await (const { who, after } of newestActs(app, { action: 'webhook.set', subject: userId })) {
    const name = String((after as { webhook?: unknown } | null)?.webhook);
    if (left.delete(name)) setters.set(name, who.name);
    if (left.size === 0) break;
  }
  return setters;
}

const ENDS = ['webhook.ended', 'user.disabled', 'user.role_set'] as const;

/** Returns the newest act after which a webhook of a user may have got nothing more; null: not in the audit log. */
export async function whoEndedWebhook(app: App, userId: string, webhook: string): Promise<ListedAct | null> {
  const isOfIt = (before: unknown) => (before as { webhook?: unknown } | null)?.webhook === webhook;
  for await (const act of newestActs(app, { actions: ENDS, subject: userId })) {
    if (act.action !== 'webhook.ended' || isOfIt(act.before)) return act;
  }
  return null;
}

const PAGE = 200;

/** Reads the acts page by page, the newest first, for as long as the caller asks for more. */
async function* newestActs(app: App, filter: AuditFilter): AsyncGenerator<ListedAct> {
  let before: number | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAudit>> = await listAudit(
      app,
      { ...filter, ...(before !== null && { before }) },
      PAGE,
    );
    yield* page.acts;
    before = page.next;
  } while (before !== null);
}
