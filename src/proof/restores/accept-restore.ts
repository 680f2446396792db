import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { selectAudit } from '../../audit/audit-queries.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { selectEnvironmentsWithFacts } from '../../books/fact-queries.ts';
import { recordFact } from '../../books/record-fact.ts';
import type { Tx } from '../../db/database.ts';
import type { Epoch } from '../../epochs/epoch.ts';
import { lockEpoch, selectEpochs } from '../../epochs/epoch-queries.ts';
import { type AnchorRow, selectLastAnchor } from '../anchors/anchor-queries.ts';
import { makeAnchor } from '../anchors/make-anchor.ts';
import { hasRestoreFact } from '../fact-check-queries.ts';
import { readRestores, restoreContent } from './restore.ts';

/**
 * Records that a person accepts a restore: a fact in every chain of facts, and an anchor. From then on, anchors of the
 * lost time no longer contradict the store. Does nothing if no restore waits for acceptance. `by` is the person who
 * decided. Can be repeated after a crash; of two people at the same moment only the first accepts.
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
    await lockEpoch(tx, epoch);
    const act = { action: 'store.restore_accepted', subject: `epoch ${epoch}` } as const;
    // A store without payment services has no chain of facts: only its audit log records the acceptance.
    if ((await hasRestoreFact(tx, epoch)) || (await selectAudit(tx, act, 1)).length > 0) return;
    for (const one of begun) await recordRestore(tx, environments, one, { at, by: by.name, reason });
    await recordAudit(tx, { at, by, action: act.action, subject: { kind: 'store', id: act.subject }, reason });
  }, 'slow');
  const acceptance = { epoch, began_at: new Date(began_at).toISOString(), after, by: by.name, reason };
  // Another process may take the anchor's number at the same time, for another anchor or for this acceptance.
  for (let made: AnchorRow | null = null; made === null; ) {
    const last = await selectLastAnchor(app.db);
    if ((await readRestores(app)).at(-1)?.accepted !== null) return;
    made = await makeAnchor(app, 'now', { accepted: acceptance, after: last });
  }
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
