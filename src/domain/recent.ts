/** A map of limited size: setting a key beyond the limit drops the one set longest ago. */
export interface Recent<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** Deletes the oldest values, up to the first one for which `isOver` is false. */
  deleteOldest(isOver: (value: Value) => boolean): void;
}

/** With more callers, those silent for longest are dropped; their buckets are mostly full anyway. */
const MOST_KEYS = 50_000;

export function createRecent<Value>(most = MOST_KEYS): Recent<Value> {
  const values = new Map<string, Value>();
  return {
    get size() {
      return values.size;
    },
    get: (key) => values.get(key),
    set(key, value) {
      // Moves the key to the end: maps keep insertion order.
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > most && oldest !== undefined) values.delete(oldest);
    },
    delete: (key) => {
      values.delete(key);
    },
    deleteOldest(isOver) {
      for (const [key, value] of values) {
        if (!isOver(value)) return;
        values.delete(key);
      }
    },
  };
}
