import { localError } from '../api-server-error.ts';

/** Where the addresses and node ports of Services come from, as kube-apiserver has it in its flags. */
export type ServiceRangeOptions = {
  /** `--service-cluster-ip-range`: an IPv4 network with room for an address, such as `10.0.0.0/24`. Default `10.96.0.0/16`. */
  readonly addresses?: string;
  /** `--service-node-port-range`: `30000-32767`, the default; or with the number of ports, `30000+2768`. */
  readonly nodePorts?: string;
};

export type ServiceRanges = {
  /** The address of the network, as a number, and how many it has with that of the network and the last one. */
  readonly network: number;
  readonly size: number;
  /** The addresses from this one on are given out first: those before it are left to Services that request one of them. */
  readonly offset: number;
  readonly firstPort: number;
  readonly lastPort: number;
};

const MIN_PREFIX = 8;
const MAX_PREFIX = 30;
const MAX_PORT = 65_535;

/** Throws where the options name no range. */
export function serviceRanges(options: ServiceRangeOptions = {}): ServiceRanges {
  const { addresses = '10.96.0.0/16', nodePorts = '30000-32767' } = options;
  return { ...networkOf(addresses), ...portsOf(nodePorts) };
}

function networkOf(text: string): Pick<ServiceRanges, 'network' | 'size' | 'offset'> {
  const [, address = '', bits = ''] = /^([\d.]+)\/(\d+)$/.exec(text) ?? [];
  const [value, prefix] = [numberOf(address), Number(bits)];
  if (value === undefined || bits === '' || prefix < MIN_PREFIX || prefix > MAX_PREFIX)
    throw localError(
      'Malformed',
      `${text} is no range of Services: choose an IPv4 network of /${MIN_PREFIX} to /${MAX_PREFIX}, such as 10.0.0.0/24`,
    );
  const size = 2 ** (32 - prefix);
  return { network: value - (value % size), size, offset: size <= 16 ? 1 : offsetOf(size) };
}

/** A sixteenth, but 16 to 256. */
function offsetOf(size: number): number {
  return Math.min(Math.max(16, size / 16), 256);
}

function portsOf(text: string): Pick<ServiceRanges, 'firstPort' | 'lastPort'> {
  const [, first = '', sign, more = ''] = /^(\d+)(?:([-+])(\d+))?$/.exec(text) ?? [];
  const firstPort = Number(first);
  const lastPort = sign === undefined ? firstPort : sign === '-' ? Number(more) : firstPort + Number(more);
  if (first === '' || firstPort < 1 || lastPort < firstPort || lastPort > MAX_PORT)
    throw localError(
      'Malformed',
      `${text} is no range of node ports: choose two ports up to ${MAX_PORT}, such as 30000-32767`,
    );
  return { firstPort, lastPort };
}

/** An IPv4 address as a number; undefined where the text is none. */
function numberOf(address: string): number | undefined {
  const octets = address.split('.').map(Number);
  const valid = octets.length === 4 && octets.every((octet) => octet <= 255) && !/(^|\.)(\.|$)/.test(address);
  return valid ? octets.reduce((sum, octet) => sum * 256 + octet, 0) : undefined;
}

/** The address of the range with that number in it. */
export function addressAt({ network }: ServiceRanges, host: number): string {
  const value = network + host;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/** Whether a Service may have the address: neither that of the network nor the last one. */
export function hasAddress({ network, size }: ServiceRanges, address: string): boolean {
  const host = (numberOf(address) ?? -1) - network;
  return host >= 1 && host <= size - 2;
}
