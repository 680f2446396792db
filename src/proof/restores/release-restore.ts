import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { releaseEpoch } from '../../epochs/release-epoch.ts';
import { writeAnchors } from '../anchors/keep-anchors.ts';
import { acceptRestore } from './accept-restore.ts';
import { findUnreleasedEpoch } from './find-unreleased.ts';

/** `other`: the restore that waits is another than the expected one. `nothing`: none waits. */
export type Released = 'released' | 'other' | 'nothing';

/**
 * Accepts a restore for a person, with a permanent record, and lets go what it holds. `epoch`: the restore that the
 * person saw. Can be repeated after a crash.
 */
export async function releaseRestore(app: App, epoch: number, by: Actor, reason: string | null): Promise<Released> {
  const held = await findUnreleasedEpoch(app);
  if (held === null) return 'nothing';
  if (held.epoch !== epoch) return 'other';
  // The permanent record comes first: after a crash in between, nothing has been released.
  await acceptRestore(app, by, reason);
  await writeAnchors(app);
  await releaseEpoch(app, by, reason);
  return 'released';
}
