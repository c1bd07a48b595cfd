const form = process.env['KUBEWRIGHT_LONG'];

/** `npm run test:long`: more of everything that is drawn, from a seed that no run had before. */
export const isLong = form === 'true' || form === 'quarter';

/** In `.ci/run`, which has to end in time and always has the same seed, a quarter as much is drawn. */
const share = form === 'quarter' ? 1 / 4 : 1;

/** What is drawn depends on this alone; the same in each `npm test`, so that only a change makes it fail. */
export const seed = Number(process.env['KUBEWRIGHT_SEED'] ?? 1);

/** How often a property is tried: `few` times, and in the long run ten times as often. */
export function runs(few: number): number {
  return isLong ? Math.ceil(few * 10 * share) : few;
}

/** Seeds of worlds: `few`, and in the long run `many`. */
export function seeds(few: number, many: number): readonly number[] {
  return Array.from(
    { length: isLong ? Math.max(few, Math.ceil(many * share)) : few },
    (_, index) => seed + index,
  );
}

/** `few` of the cases of a table, others for another seed, and in the long run all. */
export function some<T>(few: number, all: readonly T[]): readonly T[] {
  if (isLong) return all;
  return all.map((_, index) => all.at((seed - 1 + index) % all.length) as T).slice(0, few);
}
