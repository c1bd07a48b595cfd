/** What was made under a key, as long as it is used. */
export type Remembered<T> = {
  readonly recall: (key: string) => T | undefined;
  readonly remember: (key: string, value: T) => void;
};

/** So many values, those that were used last, are remembered; at most twice as many. */
const REMEMBERED = 2048;
/** Of a longer key no other object is likely to have the same. */
const LONGEST_KEY = 4096;

/** Two generations: to keep one map in the order of use would cost more at each hit than to make the value. */
export function remembered<T>(): Remembered<T> {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  const remember = (key: string, value: T): void => {
    if (key.length > LONGEST_KEY) return;
    recent.set(key, value);
    if (recent.size < REMEMBERED) return;
    older = recent;
    recent = new Map();
  };
  return {
    recall(key) {
      const known = recent.get(key);
      if (known !== undefined) return known;
      const old = older.get(key);
      if (old !== undefined) remember(key, old);
      return old;
    },
    remember,
  };
}
