/** What is remembered of one autoscaler between looks; times in milliseconds since the epoch. */
export type Memory = {
  readonly recommendations: readonly { readonly replicas: number; readonly at: number }[];
  readonly ups: readonly ScaleEvent[];
  readonly downs: readonly ScaleEvent[];
};

/** By how many replicas the scale was changed; at least 0. */
export type ScaleEvent = { readonly change: number; readonly at: number };

export const EMPTY: Memory = { recommendations: [], ups: [], downs: [] };

/** No window is longer than an hour (validation), so nothing older can matter. */
const LONGEST_MS = 3_600_000;

export function remembering(memory: Memory, replicas: number, now: number): Memory {
  const recent = memory.recommendations.filter(({ at }) => at >= now - LONGEST_MS);
  return { ...memory, recommendations: [...recent, { replicas, at: now }] };
}

export function withScaling(memory: Memory, from: number, to: number, now: number): Memory {
  const recent = (events: readonly ScaleEvent[]): readonly ScaleEvent[] =>
    events.filter(({ at }) => at >= now - LONGEST_MS);
  const event = { change: Math.abs(to - from), at: now };
  return to > from
    ? { ...memory, ups: [...recent(memory.ups), event] }
    : { ...memory, downs: [...recent(memory.downs), event] };
}
