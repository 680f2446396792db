/**
 * A cache whose entries are trusted for `lifetimeMs` and then loaded again.
 *
 * Callers that ask for one key at the same time share one load. Nothing is kept of a load that failed or answered null,
 * so what was created a moment ago is found. `capacity` bounds what a stranger can make it hold.
 */
export type ExpiringCache<Value> = {
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null>;
  /** The value when it is there and fresh. Spares the hot path a promise. */
  peek(key: string): Value | null;
  keep(key: string, value: Value): void;
  /** Loads anew what may have changed; until that is here, others are given what is there and fresh. */
  refresh(key: string, load: () => Promise<Value | null>): Promise<Value | null>;
};

/** Makes an empty cache. `now` is in milliseconds; when `capacity` is reached all is forgotten and loaded again. */
export function createExpiringCache<Value>(options: {
  lifetimeMs: number;
  capacity: number;
  now: () => number;
}): ExpiringCache<Value> {
  const entries = new Map<string, { value: Value; until: number }>();
  const loading = new Map<string, Promise<Value | null>>();

  const keep = (key: string, value: Value) => {
    if (entries.size >= options.capacity) entries.clear();
    entries.set(key, { value, until: options.now() + options.lifetimeMs });
  };
  const peek = (key: string) => {
    const entry = entries.get(key);
    return entry !== undefined && entry.until > options.now() ? entry.value : null;
  };
  const loadInto = async (key: string, load: () => Promise<Value | null>) => {
    try {
      const value = await load();
      if (value === null) entries.delete(key);
      else keep(key, value);
      return value;
    } finally {
      loading.delete(key);
    }
  };

  const refresh = (key: string, load: () => Promise<Value | null>) => {
    let pending = loading.get(key);
    if (pending === undefined) {
      pending = loadInto(key, load);
      loading.set(key, pending);
    }
    return pending;
  };

  return {
    peek,
    keep,
    refresh,
    get: async (key, load) => peek(key) ?? refresh(key, load),
  };
}
