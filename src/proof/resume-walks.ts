import type { App } from '../app.ts';
import { addUpWalks, type OnProgress, type OpenWalk, type Place, WALK_PAGE } from '../lib/walk.ts';
import {
  newMark,
  readVerificationMark,
  removeVerificationMark,
  type VerificationMark,
  type Verified,
  writeVerificationMark,
} from './verification-mark.ts';

/** `since`: when the interrupted run began that this one goes on with, in UTC milliseconds; null: it begins at the start. */
export type ResumedWalks = {
  open: OpenWalk;
  since: number | null;
  /** Why the mark that is there is not used, for a person. */
  refused: string | null;
  /** Everything was read: the next run begins at the start again. */
  end: () => void;
};

export type ResumeOptions = {
  fromStart?: boolean;
  onProgress?: OnProgress;
  /** So many rows at once, and so often, in milliseconds, is it kept how far it is. */
  page?: number;
  keepEvery?: number;
};

const KEEP_EVERY_MS = 1000;

/**
 * Walks that go on where an interrupted run of the same verification has come to, and that keep how far they are. Each place in a
 * chain is good only for as long as the chain has its link with its hash.
 */
export async function resumeWalks(
  app: App,
  verified: Verified,
  { fromStart = false, onProgress = () => {}, page = WALK_PAGE, keepEvery = KEEP_EVERY_MS }: ResumeOptions = {},
): Promise<ResumedWalks> {
  const fresh = await newMark(app, verified);
  const found = fromStart ? null : await readVerificationMark(app, fresh);
  const resumed = typeof found === 'string' ? null : found;
  const mark: VerificationMark = resumed ?? fresh;
  const before = { ...mark.places };
  const tell = addUpWalks(onProgress);
  let [kept, contradicted] = [performance.now(), false];

  const keep = async () => {
    if (contradicted || performance.now() - kept < keepEvery) return;
    // Where DATA_DIR cannot be written, everything is verified all the same.
    await writeVerificationMark(app, mark).catch(() => {});
    kept = performance.now();
  };
  const open = <At extends Place>(name: string, what: string) => {
    const from = (before[name] ?? null) as At | null;
    let isRight = true;
    tell(name, what, from?.rows ?? 0, null);
    return {
      from,
      page,
      reached: async (place: At, part: number | null = null) => {
        tell(name, what, place.rows, part);
        if (!isRight) return;
        mark.places[name] = place;
        await keep();
      },
      found: () => {
        isRight = false;
      },
      contradicted: () => {
        contradicted = true;
      },
    };
  };
  const end = () => {
    if (!contradicted) removeVerificationMark(app, verified);
  };
  const refused = typeof found === 'string' ? found : null;
  return { open, since: resumed?.begun_at ?? null, refused, end };
}
