/** Numbers that a seed decides: the same seed gives the same numbers, on every machine. */
export type SeededRandom = {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, limit). */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T | undefined;
  bytes(size: number): Uint8Array;
  /** A generator of its own, so that what one part draws does not shift what another gets. */
  fork(name: string): SeededRandom;
};

/** Source: mulberry32, a 32-bit generator whose whole state is one number. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)],
    bytes: (size) => Uint8Array.from({ length: size }, () => below(256)),
    fork: (name) => createSeededRandom(hash(`${seed}/${name}`)),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
