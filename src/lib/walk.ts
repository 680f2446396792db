/** The place in a walk through many rows: how many rows were read. Other types add where to resume. */
export type Place = { rows: number };

/** The place in a hash chain. */
export type ChainPlace = Place & { link: number; hash: string };

/** The place in a walk by id. */
export type IdPlace<Id = number> = Place & { id: Id };

/** A walk that checks rows and resumes where an earlier one was interrupted. */
export type Walk<At extends Place> = {
  /** The place of the interrupted walk; null: start at the beginning. */
  from: At | null;
  /** How many rows are read at once. */
  page: number;
  /** Records that all rows up to `place` are correct. `part`: the share of the walk that is done, 0 to 1, if known. */
  reached: (place: At, part?: number | null) => Promise<void>;
  /** Reports a wrong row. Later places are shown but not stored, so the next run finds the row again. */
  found: () => void;
  /** Reports that the rows no longer match `from`. No later place is stored, and the stored place stays as evidence. */
  contradicted: () => void;
};

/** Begins a walk. `name` is unique; the progress of walks with the same `what` is added up. */
export type OpenWalk = <At extends Place>(name: string, what: string) => Walk<At>;

/** `part` is the progress of the current walk. */
export type OnProgress = (what: string, rows: number, part: number | null) => void;

export const WALK_PAGE = 2000;

/** The first and the last id of the rows; null: there are no rows. */
export type IdSpan = { first: number | null; last: number | null };

/**
 * Returns the share of the ids that are passed. Ids were handed out in order, so it is nearly the share of the rows.
 */
export function partOf({ first, last }: IdSpan, id: number): number {
  return first === null || last === null || last <= first ? 1 : (id - first) / (last - first);
}

/** Creates walks that start at the beginning and store nothing. */
export function freshWalks(onProgress: OnProgress = () => {}): OpenWalk {
  const tell = addUpWalks(onProgress);
  return (name, what) => {
    tell(name, what, 0, null);
    const reached = async ({ rows }: Place, part: number | null = null) => tell(name, what, rows, part);
    return { from: null, page: WALK_PAGE, reached, found: () => {}, contradicted: () => {} };
  };
}

/** Reports the sum of the walks of one `what`. */
export function addUpWalks(onProgress: OnProgress) {
  const sums = new Map<string, number>();
  const last = new Map<string, number>();
  return (name: string, what: string, rows: number, part: number | null): void => {
    const sum = (sums.get(what) ?? 0) + rows - (last.get(name) ?? 0);
    last.set(name, rows);
    sums.set(what, sum);
    onProgress(what, sum, part);
  };
}
