const PORTS: ReadonlyMap<string, string> = new Map([
  ['amqp:', '5672'],
  ['amqps:', '5671'],
  ['nats:', '4222'],
  ['tls:', '4222'],
]);

/**
 * Whether the broker at a URL may be named in this namespace. A pattern is `HOST` or `HOST:PORT`; `*.DOMAIN` is any host
 * below a domain, and `$(NAMESPACE)` the namespace. Without patterns, each may.
 */
export function isAllowedBroker(url: string, patterns: readonly string[], namespace: string): boolean {
  if (patterns.length === 0) return true;
  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : NOWHERE;
  const used = port === '' ? PORTS.get(protocol) : port;
  return patterns.some((pattern) => {
    const [host = '', ofPort = used] = pattern.replaceAll('$(NAMESPACE)', namespace).split(':');
    return ofPort === used && isHost(hostname.toLowerCase(), host.toLowerCase());
  });
}

const NOWHERE = { hostname: '', port: '', protocol: '' };

function isHost(hostname: string, pattern: string): boolean {
  if (hostname === '') return false;
  return pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern;
}
