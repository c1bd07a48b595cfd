/** `npm run test:long`: more of everything that is drawn, from a seed that no run had before. */
const isLong = process.env['KUBEWRIGHT_LONG'] === 'true';

/** What is drawn depends on this alone; the same in each `npm test`, so that only a change makes it fail. */
export const seed = Number(process.env['KUBEWRIGHT_SEED'] ?? 1);

/** How often a property is tried, or how many worlds are played: `few`, and in the long run more. */
export function runs(few: number, times = 20): number {
  return isLong ? few * times : few;
}

/** Seeds of worlds: `few` that follow {@link seed}, and in the long run more. */
export function seeds(few: number, times?: number): readonly number[] {
  return Array.from({ length: runs(few, times) }, (_, index) => seed + index);
}
