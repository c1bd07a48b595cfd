import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What kube-apiserver responds to a handshake: 101, or why there is none. */
export type Handshake = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** RFC 6455, 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const UPGRADE = { upgrade: 'websocket', connection: 'Upgrade' };

/** Whether a request that is to be upgraded is to become a WebSocket. */
export function wantsWebSocket({ upgrade = '' }: IncomingHttpHeaders): boolean {
  return upgrade.toLowerCase() === 'websocket';
}

/** The subprotocols that a client offers. */
export function protocolsOf(headers: IncomingHttpHeaders): readonly string[] {
  const offered = headers['sec-websocket-protocol'] ?? '';
  return offered.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** Checks a handshake as `golang.org/x/net/websocket` does: one subprotocol at most, and an origin. */
export function handshakeOf(headers: IncomingHttpHeaders, protocols: readonly string[]): Handshake {
  const key = headers['sec-websocket-key'] ?? '';
  if (key === '') return rejected(400, 'mismatch challenge/response');
  if (headers['sec-websocket-version'] !== '13') {
    const known = { 'sec-websocket-version': '13' };
    return { ...rejected(400, 'missing or bad WebSocket Version'), headers: known };
  }
  if (!isOrigin(headers.origin ?? '')) return rejected(403);
  const [protocol] = protocols;
  if (protocols.length > 1) return rejected(400);
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  return {
    status: 101,
    headers: {
      ...UPGRADE,
      'sec-websocket-accept': accept,
      ...(protocol !== undefined && { 'sec-websocket-protocol': protocol }),
    },
    text: '',
  };
}

function rejected(status: number, text = ''): Handshake {
  return { status, headers: {}, text };
}

/** Go's `url.ParseRequestURI`, of what browsers and clients send. */
function isOrigin(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}
