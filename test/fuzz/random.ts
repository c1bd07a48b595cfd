/** Repeatable chance: the same seed makes the same choices. */
export type Random = {
  /** 0 ≤ result < bound. */
  int(bound: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Each item with the given probability, in order. */
  some<T>(items: readonly T[], probability: number): T[];
  /** A seed for another source. */
  seed(): number;
};

/** The generator `mulberry32` of Tommy Ettinger: 32 bits of state, enough for choosing test cases. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const random: Random = {
    int: (bound) => Math.floor(next() * bound),
    chance: (probability) => next() < probability,
    pick: (items) => items[random.int(items.length)] as (typeof items)[number],
    some: (items, probability) => items.filter(() => random.chance(probability)),
    seed: () => Math.floor(next() * 4_294_967_296),
  };
  return random;
}
