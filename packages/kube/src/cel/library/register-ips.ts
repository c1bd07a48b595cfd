import type { Environment } from '@marcbachmann/cel-js';
import { failed } from '../failed.ts';
import { IpAddress, parseIp } from './ip-address.ts';
import { registerNamespace } from './register-namespace.ts';
import { succeeds } from './succeeds.ts';

/** A network: an address and how many of its bits are the network's. */
class Cidr {
  static readonly celName = 'net.CIDR';
  readonly address: IpAddress;
  readonly length: number;

  constructor(text: string) {
    const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
    if (address === '') throw failed(`network address parse error during conversion from string: ${text}`);
    this.address = parseIp(address);
    this.length = Number(length);
    if (this.length > this.address.size) {
      throw failed(`network address parse error during conversion from string: ${text}`);
    }
  }

  contains(address: IpAddress): boolean {
    return address.isIn(this.address, this.length);
  }
}

/** Kubernetes' `ip()`, `cidr()` and their methods. */
export function registerIps(environment: Environment): void {
  registerAddresses(environment);
  environment
    .registerType('net.CIDR', Cidr)
    .registerFunction('cidr(string): net.CIDR', (text: string) => new Cidr(text))
    .registerFunction('isCIDR(string): bool', (text: string) => succeeds(() => new Cidr(text)))
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: Cidr) => address)
    .registerFunction('net.CIDR.prefixLength(): int', ({ length }: Cidr) => BigInt(length))
    .registerFunction('net.CIDR.masked(): net.CIDR', masked)
    .registerFunction('net.CIDR.containsIP(string): bool', (net: Cidr, text: string) =>
      net.contains(parseIp(text)),
    )
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (net: Cidr, address: IpAddress) =>
      net.contains(address),
    )
    .registerFunction('net.CIDR.containsCIDR(string): bool', (net: Cidr, text: string) =>
      covers(net, new Cidr(text)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', covers)
    .registerFunction(
      'toText(net.CIDR): string',
      ({ address, length }: Cidr) => `${address.toString()}/${length}`,
    )
    .registerOperator(
      'net.CIDR == net.CIDR',
      (a: Cidr, b: Cidr) => a.length === b.length && sameAddress(a.address, b.address),
    );
}

function registerAddresses(environment: Environment): void {
  const namespace = registerNamespace(environment, 'ip');
  const is = (name: string, test: (address: IpAddress) => boolean): void => {
    environment.registerFunction(`net.IP.${name}(): bool`, test);
  };
  environment
    .registerType('net.IP', IpAddress)
    .registerFunction('ip(string): net.IP', parseIp)
    .registerFunction('isIP(string): bool', (text: string) => succeeds(() => parseIp(text)))
    .registerFunction(
      `${namespace}.isCanonical(string): bool`,
      (_: unknown, text: string) => parseIp(text).toString() === text,
    )
    .registerFunction('net.IP.family(): int', ({ family }: IpAddress) => BigInt(family))
    .registerFunction('toText(net.IP): string', String)
    .registerOperator('net.IP == net.IP', sameAddress);
  is('isUnspecified', ({ bits }) => bits === 0n);
  is('isLoopback', (address) => within(address, '127.0.0.0', 8, '::1', 128));
  is('isLinkLocalMulticast', (address) => within(address, '224.0.0.0', 24, 'ff02::', 16));
  is('isLinkLocalUnicast', (address) => within(address, '169.254.0.0', 16, 'fe80::', 10));
  is('isGlobalUnicast', isGlobalUnicast);
}

function isGlobalUnicast(address: IpAddress): boolean {
  return !(
    address.bits === 0n ||
    (address.family === 4 && address.bits === 0xffff_ffffn) ||
    within(address, '127.0.0.0', 8, '::1', 128) ||
    within(address, '224.0.0.0', 4, 'ff00::', 8) ||
    within(address, '169.254.0.0', 16, 'fe80::', 10)
  );
}

function within(address: IpAddress, net4: string, length4: number, net6: string, length6: number): boolean {
  return address.family === 4 ? address.isIn(parseIp(net4), length4) : address.isIn(parseIp(net6), length6);
}

function masked({ address, length }: Cidr): Cidr {
  const shift = BigInt(address.size - length);
  const network = new IpAddress(address.family, (address.bits >> shift) << shift);
  return new Cidr(`${network.toString()}/${length}`);
}

function covers(outer: Cidr, inner: Cidr): boolean {
  return inner.length >= outer.length && outer.contains(inner.address);
}

function sameAddress(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.bits === b.bits;
}
