/**
 * A number of pods, from a number or a percentage of `total`; a percentage is rounded up or down. What is neither
 * counts as 0: validation lets nothing else in.
 */
export function scaledValue(value: number | string | undefined, total: number, roundUp: boolean): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}
