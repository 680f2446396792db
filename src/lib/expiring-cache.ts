/**
 * A cache whose entries are valid for `lifetimeMs` and are then loaded again.
 *
 * Concurrent callers for one key share one load. A load that fails or returns null is not cached, so a new record is
 * found at once. `capacity` bounds the memory that a stranger can fill.
 */
export type ExpiringCache<Value> = {
  get(key: string, load: () => Promise<Value | null>): Promise<Value | null>;
  /** Returns the value if it is cached and fresh. Spares the hot path a promise. */
  peek(key: string): Value | null;
  keep(key: string, value: Value): void;
  /** Reloads an entry. Until the load ends, other callers get the cached value while it is fresh. */
  refresh(key: string, load: () => Promise<Value | null>): Promise<Value | null>;
};

/** Creates an empty cache. `now` is in milliseconds. At `capacity` entries the cache is cleared. */
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

  const refresh = (key: string, load: () => Promise<Value | null>) =>
    loading.getOrInsertComputed(key, () => loadInto(key, load));

  return {
    peek,
    keep,
    refresh,
    get: async (key, load) => peek(key) ?? refresh(key, load),
  };
}
