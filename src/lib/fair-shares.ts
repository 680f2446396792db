export type FairShares = {
  /**
   * Takes an amount for all `owners`, the smallest network first. Returns false and takes nothing if one of them would
   * exceed its share.
   */
  take: (owners: readonly string[], amount: number) => boolean;
  /** Releases what was taken, with the same arguments. */
  release: (owners: readonly string[], amount: number) => void;
};

/** An owner's total may be at most a third of what stays free beyond the reserve for new owners. */
const FREE_FOR_EACH = 3;
const RESERVED = 0.1;

/**
 * Shares out a limited amount. An owner may take a third of what is free, so shares fall as the whole fills up. The
 * last tenth is reserved for owners who have nothing yet.
 */
export function createFairShares(whole: number): FairShares {
  const taken = new Map<string, number>();
  let free = whole;

  function take(owners: readonly string[], amount: number): boolean {
    if (free < amount) return false;
    const most = (free - amount - whole * RESERVED) / FREE_FOR_EACH;
    for (const owner of owners) {
      const had = taken.get(owner) ?? 0;
      if (had > 0 && had + amount > most) return false;
    }
    free -= amount;
    for (const owner of owners) taken.set(owner, (taken.get(owner) ?? 0) + amount);
    return true;
  }

  function release(owners: readonly string[], amount: number): void {
    free += amount;
    for (const owner of owners) {
      const left = (taken.get(owner) ?? 0) - amount;
      if (left > 0) taken.set(owner, left);
      else taken.delete(owner);
    }
  }

  return { take, release };
}

/** Computes the share of a single owner. */
export function shareOfOne(whole: number): number {
  return Math.floor((whole * (1 - RESERVED)) / (1 + FREE_FOR_EACH));
}
