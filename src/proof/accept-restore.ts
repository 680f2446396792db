import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { selectEnvironmentsWithFacts } from '../books/fact-queries.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Tx } from '../db/database.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { selectEpochs } from '../epochs/epoch-queries.ts';
import { hasRestoreFact, restoreContent } from './fact-check-queries.ts';
import { makeAnchor } from './make-anchor.ts';
import { readRestores } from './restore.ts';

/**
 * Writes down that a person accepts that the store was restored: a fact in every chain of facts, and an anchor that says so.
 * From then on anchors of the time that was lost contradict nothing. Does nothing where there is nothing to accept. `by` is
 * the person who decided. Can be repeated after a crash.
 */
export async function acceptRestore(app: App, by: Actor, reason: string | null): Promise<void> {
  const restores = await readRestores(app);
  const restore = restores.at(-1);
  if (restore === undefined || restore.accepted !== null) return;
  const { epoch, began_at, after } = restore;
  const accepted = restores.at(-2)?.epoch ?? 0;
  const begun = (await selectEpochs(app.db)).filter((one) => one.epoch > accepted);
  const environments = await selectEnvironmentsWithFacts(app.db);
  const at = app.now();
  await app.db.transaction(async (tx) => {
    for (const one of begun) await recordRestore(tx, environments, one, { at, by: by.name, reason });
    const subject = { kind: 'store', id: `epoch ${epoch}` };
    await recordAudit(tx, { at, by, action: 'store.restore_accepted', subject, reason });
  }, 'slow');
  const acceptance = { epoch, began_at: new Date(began_at).toISOString(), after, by: by.name, reason };
  // Another process may make the anchor of that number meanwhile.
  while ((await makeAnchor(app, 'now', { accepted: acceptance })) === null);
}

type Accepting = { at: number; by: string; reason: string | null };

async function recordRestore(
  tx: Tx,
  environments: readonly number[],
  epoch: Epoch,
  { at, by, reason }: Accepting,
): Promise<void> {
  if (await hasRestoreFact(tx, epoch.epoch)) return;
  const content = { ...restoreContent(epoch), reason };
  for (const environmentId of environments) {
    const fact = { environmentId, at, kind: 'restore', subject: String(epoch.epoch), content, recordedBy: by } as const;
    await recordFact(tx, fact);
  }
}
