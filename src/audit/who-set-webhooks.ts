import type { App } from '../app.ts';
import { type ListedAct, listAudit } from './list-audit.ts';

/** The acts that are read. Each webhook of a user has the newest one that set it; there are few. */
const NEWEST = 200;

/**
 * Returns who set each webhook of a user last, by its name: an account, with its API token if one acted. After a token
 * was stolen this tells which webhooks its thief made.
 */
export async function whoSetWebhooks(app: App, userId: string): Promise<ReadonlyMap<string, string>> {
  const { acts } = await listAudit(app, { action: 'webhook.set', subject: userId }, NEWEST);
  // The oldest first, so that a later act replaces it.
  return new Map(
    acts.toReversed().map(({ who, after }) => [String((after as { webhook?: unknown }).webhook), who.name]),
  );
}

const ENDS = ['webhook.ended', 'user.disabled', 'user.role_set'] as const;

/** Returns the newest act after which a webhook of a user may have got nothing more; null: not in the audit log. */
export async function whoEndedWebhook(app: App, userId: string, webhook: string): Promise<ListedAct | null> {
  const { acts } = await listAudit(app, { actions: ENDS, subject: userId }, NEWEST);
  const isOfIt = (before: unknown) => (before as { webhook?: unknown } | null)?.webhook === webhook;
  return acts.find(({ action, before }) => action !== 'webhook.ended' || isOfIt(before)) ?? null;
}
