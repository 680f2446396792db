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

/** `since`: when the interrupted run began, in UTC milliseconds; null if this run starts at the beginning. */
export type ResumedWalks = {
  open: OpenWalk;
  since: number | null;
  /** Why the existing mark is not used, for a person. */
  refused: string | null;
  /** Ends the verification: the next run starts at the beginning. */
  end: () => void;
};

export type ResumeOptions = {
  fromStart?: boolean;
  onProgress?: OnProgress;
  /** How many rows are read at once, and how often the progress is stored, in milliseconds. */
  page?: number;
  keepEvery?: number;
};

const KEEP_EVERY_MS = 1000;

/**
 * Creates walks that resume an interrupted run of the same verification and store their progress. A place in a chain is
 * valid only while the chain has its link with its hash.
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
    // The verification continues even if DATA_DIR is not writable.
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
