const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;
const WHOLE = /^-?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;

/** Milliseconds of a Go duration (`1h30m`, `250ms`, `0`); `undefined` if the text is not one. */
export function parseDuration(text: string): number | undefined {
  if (/^-?0$/.test(text)) return 0;
  if (!WHOLE.test(text)) return undefined;
  const parts = [...text.matchAll(PART)].map(
    ([, amount, unit = '']) => Number(amount) * (UNITS.get(unit) ?? 0),
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  return text.startsWith('-') ? -sum : sum;
}
