/** How others begin who are taken for brokers: a port is mistyped, or a scheme. */
const PROTOCOLS: readonly (readonly [begin: Buffer, text: string])[] = [
  [Buffer.from('HTTP/'), 'it speaks HTTP'],
  [Buffer.from('SSH-'), 'it speaks SSH'],
  // An alert: the client's bytes are no handshake.
  [Buffer.from([0x15, 0x03]), 'it speaks TLS, amqps:// or tls:// is for that'],
  [Buffer.from('AMQP'), 'it speaks another version of AMQP than 0-9-1'],
  [Buffer.from('INFO '), 'it speaks NATS, nats:// is for that'],
];

/** What a server speaks that begins with these bytes. */
export function foreignProtocol(bytes: Uint8Array): string {
  const found = PROTOCOLS.find(([begin]) => begin.equals(bytes.subarray(0, begin.length)));
  return found?.[1] ?? 'it speaks another protocol';
}
