const PORTS: ReadonlyMap<string, string> = new Map([
  ['amqp:', '5672'],
  ['amqps:', '5671'],
  ['nats:', '4222'],
  ['tls:', '4222'],
  ['https:', '443'],
]);

/** A name or an address, and nothing that a client decodes into another one. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
const PATTERN = /^(?:([a-z]+:)\/\/)?(\*|(?:\*\.)?[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d+))?$/;

/**
 * Whether a migration of this namespace may name the broker, or the registry, at a URL. A pattern is `HOST`, `HOST:PORT` or
 * `SCHEME://HOST:PORT`; as the host, `*.DOMAIN` is any below a domain, and `*` is any; `$(NAMESPACE)` is the namespace.
 * Without patterns, none may be named.
 */
export function isAllowedAddress(url: string, patterns: readonly string[], namespace: string): boolean {
  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : NOWHERE;
  const host = hostname.toLowerCase();
  const standard = PORTS.get(protocol);
  if (standard === undefined || !HOST.test(host)) return false;
  const used = port === '' ? standard : port;
  return patterns.some((pattern) => {
    const [, scheme = protocol, name = '', ofPort = used] =
      PATTERN.exec(pattern.replaceAll('$(NAMESPACE)', namespace).toLowerCase()) ?? [];
    return scheme === protocol && ofPort === used && isHost(host, name);
  });
}

/** Whether a text is a pattern. */
export function isAddressPattern(text: string): boolean {
  return PATTERN.test(text.replaceAll('$(NAMESPACE)', 'n').toLowerCase());
}

const NOWHERE = { hostname: '', port: '', protocol: '' };

function isHost(host: string, pattern: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
