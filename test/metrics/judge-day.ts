import { type LoadDay, needOf } from './loads.ts';
import type { Look } from './play-day.ts';

/** Once the load has been the same for so long, replicas are what it needs: seconds. */
const SETTLED = 30 * 60;

/** What was wrong with a day: steps below the need, replicas below it or far above it once the load was steady, silence. */
export function judgeDay(day: LoadDay, looks: readonly Look[]): readonly string[] {
  const faults = looks.flatMap((one, index) => {
    const before = looks[index - 1]?.replicas ?? day.begins;
    const isDown = one.replicas < before && one.replicas < one.need;
    const isShort = isSettled(day, one.t) && one.replicas < one.need;
    const isFar = isSettled(day, one.t) && one.replicas > Math.max(one.need + 1, 0);
    return [
      ...(isDown ? [`${minute(one)}: ${before} → ${one.replicas}, and it needs ${one.need}`] : []),
      ...(isShort && !isDown ? [`${minute(one)}: ${one.replicas} of ${one.need} replicas`] : []),
      ...(isFar ? [`${minute(one)}: ${one.replicas} replicas, and it needs ${one.need}`] : []),
    ];
  });
  return faults.length > 3 ? [...faults.slice(0, 3), `and ${faults.length - 3} more`] : faults;
}

const minute = ({ t }: Look): string => `minute ${t / 60}`;

/** Whether the need was the same for long, as that of a day that began so. */
function isSettled(day: LoadDay, t: number): boolean {
  const need = needOf(day, t);
  if (t < SETTLED) return false;
  for (let then = t - SETTLED; then <= t; then += 60) if (needOf(day, then) !== need) return false;
  return true;
}
