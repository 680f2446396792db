import type { App } from '../app.ts';
import { isGenuineBroughtCut, sealBroughtCut } from '../outbox/feed/feed-cut.ts';
import { readGenuineCut } from '../outbox/feed/read-genuine-cut.ts';
import type { Move, MoveRow, Progress } from './move.ts';
import { selectAllMoves } from './move-queries.ts';
import { environmentsOf } from './set-guards.ts';

/** Returns up to when events of an environment may be deleted for their age; null: none are. */
export type Cuts = (environmentId: number) => number | null;

/**
 * Reads the cuts of this feed and, for payment services that moved here, of the databases where they were. A cut that
 * no service sealed explains nothing. Read it after the events, as a cut of the feed.
 */
export async function readCuts(app: App): Promise<Cuts> {
  const own = (await readGenuineCut(app))?.until ?? null;
  const brought = new Map<number, number>();
  for (const move of await selectAllMoves(app.db)) {
    const until = await readBrought(app, move);
    if (until === null) continue;
    for (const id of environmentsOf(move)) brought.set(id, Math.max(until, brought.get(id) ?? until));
  }
  return (id) => {
    const other = brought.get(id) ?? null;
    return own === null || other === null ? (own ?? other) : Math.max(own, other);
  };
}

async function readBrought(app: App, move: MoveRow): Promise<number | null> {
  if (move.direction !== 'in' || move.state !== 'moved') return null;
  const cut = readProgress(move.progress)?.cut;
  if (typeof cut?.until !== 'number' || typeof cut.mac !== 'string') return null;
  return (await isGenuineBroughtCut(app, move, cut)) ? cut.until : null;
}

/** Null if somebody wrote another text into the store. */
function readProgress(text: string): Partial<Progress> | null {
  try {
    return JSON.parse(text) as Partial<Progress> | null;
  } catch {
    return null;
  }
}

/** Takes along up to when the source lacks events. Call it once the last event is copied; the next copy stores it. */
export async function bringCut({ id, from, to, scope, progress }: Move): Promise<void> {
  const cuts = await readCuts(from);
  const until = Math.max(...scope.environmentIds.map((one) => cuts(one) ?? 0));
  if (until === 0) return;
  progress.cut = await sealBroughtCut(to, { id, environment_ids: JSON.stringify(scope.environmentIds) }, until);
}
