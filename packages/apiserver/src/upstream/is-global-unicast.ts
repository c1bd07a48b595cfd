import { BlockList, isIP } from 'node:net';

/** Addresses that mean this machine, its link, many machines or none. */
const SPECIAL = new BlockList();
SPECIAL.addAddress('0.0.0.0');
SPECIAL.addAddress('255.255.255.255');
SPECIAL.addSubnet('127.0.0.0', 8);
SPECIAL.addSubnet('169.254.0.0', 16);
SPECIAL.addSubnet('224.0.0.0', 4);
SPECIAL.addAddress('::', 'ipv6');
SPECIAL.addAddress('::1', 'ipv6');
SPECIAL.addSubnet('fe80::', 10, 'ipv6');
SPECIAL.addSubnet('ff00::', 8, 'ipv6');

/** Go's `IsGlobalUnicast`: private networks are global in its sense. False where it is no address. */
export function isGlobalUnicast(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !SPECIAL.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
