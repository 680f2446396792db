/**
 * Gives every `key` one value of its own, built at first use and forgotten with the key.
 *
 * So a cache or a queue can live beside the operation that uses it, and two instances in one process share nothing.
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
