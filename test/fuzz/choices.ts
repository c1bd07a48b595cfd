import { createSeededRandom } from '@kubewright/cluster';

/** The random choices of a test case: the same seed makes the same choices. */
export type Choices = {
  /** 0 ≤ result < bound. */
  int(bound: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Each item with the given probability, in order. */
  some<T>(items: readonly T[], probability: number): T[];
  /** A seed for another source. */
  seed(): number;
};

export function createChoices(seed: number): Choices {
  const random = createSeededRandom(seed);
  const int = (bound: number): number => random.below(bound);
  const chance = (probability: number): boolean => random.next() < probability;
  return {
    int,
    chance,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
    some: (items, probability) => items.filter(() => chance(probability)),
    seed: () => int(2 ** 32),
  };
}
