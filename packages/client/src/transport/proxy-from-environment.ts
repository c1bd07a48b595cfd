import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;
type Target = { readonly host: string; readonly port: string };

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The proxy through which Go's programs (kubectl, client-go) reach a server by their environment: `HTTPS_PROXY`, or
 * `HTTP_PROXY` for `http:`, unless `NO_PROXY` names the server, each in upper or lower case. Never for loopback.
 * https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function proxyFromEnvironment(url: string, env: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const proxy = valueOf(env, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const target = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || (isSecure ? '443' : '80') };
  if (proxy === '' || isLoopback(target) || isExcepted(target, valueOf(env, 'NO_PROXY'))) return undefined;
  return /^[a-z][a-z\d+.-]*:\/\/./i.test(proxy) ? proxy : `http://${proxy}`;
}

function valueOf(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function isLoopback({ host }: Target): boolean {
  return host === 'localhost' || isIn(LOOPBACK, host);
}

function isExcepted(target: Target, noProxy: string): boolean {
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== '' && matches(entry, target));
}

/** `*`, a network, or an address or a domain with or without a port. */
function matches(entry: string, target: Target): boolean {
  if (entry === '*') return true;
  const network = networkOf(entry);
  if (network !== undefined) return isIn(network, target.host);
  const { name, port } = parts(entry);
  return (port === '' || port === target.port) && isOf(name, target.host);
}

/** An IPv6 address with a port has brackets. */
function parts(entry: string): { readonly name: string; readonly port: string } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? entry, port: port ?? '' };
}

/** A domain has its subdomains; `.example.com` and `*.example.com` are subdomains alone. */
function isOf(name: string, host: string): boolean {
  if (name === '') return false;
  if (isIP(name) !== 0) return isIn(addresses(name), host);
  const domain = name.replace(/^\*(?=\.)/, '');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function networkOf(entry: string): BlockList | undefined {
  const [, address = '', length = ''] = /^([^/]*)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(length) > (family === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, Number(length), `ipv${family}` as 'ipv4' | 'ipv6');
  return list;
}

function addresses(address: string): BlockList {
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
