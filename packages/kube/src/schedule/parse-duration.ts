import { KubeError } from '../kube-error.ts';

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's are shorter: they fit in 64 bits. */
const MAX_LENGTH = 200;

/** A duration in Go's notation (`1h30m`, `-1.5s`). Throws {@link KubeError} `InvalidExpression`. */
export function parseDuration(text: string): { seconds: bigint; nanoseconds: number } {
  if (text.length > MAX_LENGTH) throw invalid(text);
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return { seconds: 0n, nanoseconds: 0 };
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) {
    throw invalid(text);
  }
  const parts = [...body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)];
  const total = parts.reduce((sum, part) => sum + nanosecondsOf(part), 0n);
  const signed = sign === '-' ? -total : total;
  if (BigInt.asIntN(64, signed) !== signed) throw invalid(text);
  return { seconds: signed / 1_000_000_000n, nanoseconds: Number(signed % 1_000_000_000n) };
}

function invalid(text: string): KubeError {
  return new KubeError('InvalidExpression', `time: invalid duration "${text}"`);
}

function nanosecondsOf([, whole = '', fraction = '', unit = '']: RegExpExecArray): bigint {
  const size = NANOSECONDS[unit] ?? 0n;
  const digits = fraction.slice(0, 18);
  return BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length);
}
