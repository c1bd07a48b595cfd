import type { Kausality } from '../api.ts';
import { learnedAt } from './coverage-of.ts';

/** In how many milliseconds the next kind may be covered because it was learned; undefined: none. */
export function nextLearned({ status }: Kausality, now: Date): number | undefined {
  const waits = (status?.kinds ?? []).flatMap((count) => {
    const at = count.isKnown === true ? undefined : learnedAt(count);
    return at === undefined || at <= now ? [] : [at.getTime() - now.getTime()];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
