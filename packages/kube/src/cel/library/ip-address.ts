import { quoteGo } from '../../object/quote-go.ts';
import { failed } from '../failed.ts';

/** An IPv4 or IPv6 address. A class, because the CEL library finds the type of a value by its constructor. */
export class IpAddress {
  static readonly celName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    this.family = family;
    this.bits = bits;
  }

  /** The length of an address of this family, in bits. */
  get size(): 32 | 128 {
    return this.family === 4 ? 32 : 128;
  }

  /** RFC 5952: lower case, the longest run of zeros as `::`. */
  toString(): string {
    if (this.family === 4) return groups(this.bits, 4, 8).join('.');
    const text = groups(this.bits, 8, 16).map((group) => group.toString(16));
    const run = longestZeros(text);
    if (!run) return text.join(':');
    return `${text.slice(0, run.start).join(':')}::${text.slice(run.end).join(':')}`;
  }

  /** True if the first `length` bits are those of `prefix`. */
  isIn(prefix: IpAddress, length: number): boolean {
    const shift = BigInt(this.size - length);
    return this.family === prefix.family && this.bits >> shift === prefix.bits >> shift;
  }
}

/** Parses an address as Kubernetes' CEL library does: no leading zeros, no zone, no IPv4-mapped IPv6. */
export function parseIp(text: string): IpAddress {
  const address = text.includes(':') ? parseIp6(text) : parseIp4(text);
  if (!address) {
    throw failed(
      `IP Address ${quoteGo(text)} parse error during conversion from string: ParseAddr(${quoteGo(text)}): unable to parse IP`,
    );
  }
  return address;
}

function parseIp4(text: string): IpAddress | undefined {
  const bits = parseDotted(text);
  return bits === undefined ? undefined : new IpAddress(4, bits);
}

function parseDotted(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseIp6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail = []] = halves.map((half) => (half === '' ? [] : half.split(':').flatMap(toGroups)));
  if (!head) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const bits = all.reduce((left, group) => (left << 16n) | BigInt(`0x${group}`), 0n);
  return bits >> 32n === 0xffffn ? undefined : new IpAddress(6, bits);
}

/** The last part may be an IPv4 address, which is two groups. */
function toGroups(part: string, index: number, parts: readonly string[]): string[] {
  if (!part.includes('.') || index < parts.length - 1) return [part];
  const bits = parseDotted(part);
  return bits === undefined ? [part] : [(bits >> 16n).toString(16), (bits & 0xffffn).toString(16)];
}

function groups(bits: bigint, count: number, width: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    Number(BigInt.asUintN(width, bits >> BigInt((count - 1 - i) * width))),
  );
}

function longestZeros(text: readonly string[]): { start: number; end: number } | undefined {
  let best: { start: number; end: number } | undefined;
  for (let start = 0; start < text.length; start++) {
    let end = start;
    while (text[end] === '0') end++;
    if (end - start > Math.max(1, best ? best.end - best.start : 1)) best = { start, end };
  }
  return best;
}
