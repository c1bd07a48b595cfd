import { isIPv6 } from 'node:net';

/** An IPv6 address that is valid but not in the canonical form of RFC 5952. */
export function ipWarnings(address: string, path: string): readonly string[] {
  if (!isIPv6(address)) return [];
  const canonical = canonicalIpv6(address);
  if (canonical === address) return [];
  return [
    `${path}: IPv6 address ${JSON.stringify(address)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

/** The URL standard serialises IPv6 hosts as RFC 5952 does. */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}
