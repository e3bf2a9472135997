/** A table that cannot grow without end: what was set longest ago gives way. */
export interface Recent<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** Deletes from the oldest on, up to the first of which this is not said. */
  deleteOldest(isOver: (value: Value) => boolean): void;
}

/** Callers beyond this push the longest silent ones out; a full bucket is forgotten anyway. */
const MOST_KEYS = 50_000;

export function createRecent<Value>(most = MOST_KEYS): Recent<Value> {
  const values = new Map<string, Value>();
  return {
    get size() {
      return values.size;
    },
    get: (key) => values.get(key),
    set(key, value) {
      // The one that was set last stands last.
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
