/**
 * Keeps one value for each `key`. It is built at first use and garbage-collected with the key.
 *
 * So a cache or a queue can live in the module of its operation, and two instances in one process share nothing.
 */
export function perInstance<Key extends object, Value>(build: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) {
      value = build(key);
      values.set(key, value);
    }
    return value;
  };
}
