import type { Process } from '../../test/shop/overheard-runtime.ts';

/** The longest time without a message that no process had applied before. Seconds; `from` and `to` are Unix milliseconds. */
export function longestPause(processes: readonly Process[], from: number, to: number): number {
  const firsts = new Map<string, number>();
  for (const { producer, seq, time } of processes.flatMap(({ applied }) => applied)) {
    const key = `${producer} ${seq}`;
    firsts.set(key, Math.min(time, firsts.get(key) ?? Infinity));
  }
  const times = [...firsts.values()].filter((time) => time >= from && time <= to).toSorted((a, b) => a - b);
  const gaps = [...times, to].map((time, index) => time - (times[index - 1] ?? from));
  return Math.max(0, ...gaps) / 1000;
}
