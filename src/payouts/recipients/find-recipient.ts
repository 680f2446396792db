import type { App } from '../../app.ts';
import { pageOf } from '../../db/newest-page.ts';
import { noRecipient } from './keep-recipient.ts';
import {
  type Recipient,
  type RecipientActor,
  type RecipientDetails,
  type RecipientRow,
  recipientOf,
} from './recipient.ts';
import { selectRecipients, selectVersions } from './recipient-queries.ts';
import { openDetails, openDetailsUnlessChanged } from './seal-recipient.ts';

/**
 * Returns all versions of a recipient that the actor may see, newest first. Omits earlier versions that were changed
 * directly in the store. Throws `Problem` NOT_FOUND, or CHANGED_IN_STORE if the newest version was changed.
 */
export async function findRecipient(app: App, actor: RecipientActor, id: string): Promise<[Recipient, ...Recipient[]]> {
  const [newest, ...earlier] = await selectVersions(app.db, id, actor);
  if (newest === undefined) throw noRecipient();
  return [view(app, newest, openDetails(app, newest)), ...earlier.flatMap((row) => viewUnlessChanged(app, row))];
}

/**
 * Returns a page of the recipients that the actor may see, by id; with `rutHash`, only recipients of this RUT. `next`
 * is the `after` of the following page; null on the last one.
 */
export async function listRecipients(
  app: App,
  actor: RecipientActor,
  { after, limit, rutHash }: { after: string | null; limit: number; rutHash?: string },
): Promise<{ recipients: Recipient[]; next: string | null }> {
  const rows = await selectRecipients(app.db, actor, { after: after ?? '', limit: limit + 1, rutHash: rutHash ?? '' });
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { recipients: page.flatMap((row) => viewUnlessChanged(app, row)), next };
}

function view(app: App, row: RecipientRow, details: RecipientDetails): Recipient {
  return recipientOf(row, details, { now: app.now(), maxAgeDays: app.config.verdictMaxAgeDays });
}

/** Omits a version that was changed directly in the store, so that the rest of the list is still shown. */
function viewUnlessChanged(app: App, row: RecipientRow): Recipient[] {
  const details = openDetailsUnlessChanged(app, row);
  return details === null ? [] : [view(app, row, details)];
}
