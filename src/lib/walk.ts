/** The place of a walk through many rows: so many of them are read. The rest that it needs to go on stands beside. */
export type Place = { rows: number };

/** The place in a chain of hashes. */
export type ChainPlace = Place & { link: number; hash: string };

/** The place among rows that are read in the order of their ids. */
export type IdPlace<Id = number> = Place & { id: Id };

/** A walk through rows that are held against each other, which goes on where an earlier one was interrupted. */
export type Walk<At extends Place> = {
  /** Where the interrupted one stood; null: this one begins at the start. */
  from: At | null;
  /** So many rows are read at once. */
  page: number;
  /** Everything up to here is right. `part`: how much of the way that is, from 0 to 1, where that is known. */
  reached: (place: At, part?: number | null) => Promise<void>;
  /** A row is not right: places that follow are told and not kept, so another run finds it again. */
  found: () => void;
  /** The rows do not have the place `from` any more: nothing is kept from now on, and its record stays as evidence. */
  contradicted: () => void;
};

/** Begins a walk. `name` is its own, and walks of the same `what` are told as one. */
export type OpenWalk = <At extends Place>(name: string, what: string) => Walk<At>;

/** `part` is of the walk that is under way. */
export type OnProgress = (what: string, rows: number, part: number | null) => void;

export const WALK_PAGE = 2000;

/** The first and the last id of what is walked through; null: there are no rows. */
export type IdSpan = { first: number | null; last: number | null };

/** Ids were given out in order, so the way behind is nearly the part of the rows that are read. */
export function partOf({ first, last }: IdSpan, id: number): number {
  return first === null || last === null || last <= first ? 1 : (id - first) / (last - first);
}

/** Walks that begin at the start and keep nothing. */
export function freshWalks(onProgress: OnProgress = () => {}): OpenWalk {
  const tell = addUpWalks(onProgress);
  return (name, what) => {
    tell(name, what, 0, null);
    const reached = async ({ rows }: Place, part: number | null = null) => tell(name, what, rows, part);
    return { from: null, page: WALK_PAGE, reached, found: () => {}, contradicted: () => {} };
  };
}

/** Tells the sum of the walks of one `what`. */
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
