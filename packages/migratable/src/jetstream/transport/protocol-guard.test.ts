import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MigratableError } from '../../migratable-error.ts';
import { ProtocolGuard } from './protocol-guard.ts';

const INFO = 'INFO {"server_id":"N","version":"2.10.0","max_payload":1048576}\r\n';
const LINES = [
  INFO,
  'PING\r\n',
  '+OK\r\n',
  "-ERR 'Stale Connection'\r\n",
  'PONG\r\n',
  'MSG orders 1 5\r\nhello\r\n',
  'MSG orders 1 _INBOX.1 0\r\n\r\n',
  'msg\torders  1 2\r\n\r\n\r\n',
  'HMSG orders 1 12 14\r\nNATS/1.0\r\n\r\nhi\r\n',
  'HMSG orders 1 to 0 1\r\nx\r\n',
];
const SESSION = Buffer.from(LINES.join(''));

/** What passes of bytes that come in chunks of these sizes, again and again. */
function passed(bytes: Buffer, sizes: readonly number[] = [bytes.length], isUpgraded = false): Buffer {
  const guard = new ProtocolGuard(isUpgraded);
  const out: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    out.push(guard.pass(bytes.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(out);
}
const after = (text: string): (() => Buffer) => {
  return () => passed(Buffer.from(`${INFO}${text}`));
};

describe('what a server sends', () => {
  test('passes as it is, in chunks of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1 }), (sizes) => {
        expect(passed(SESSION, sizes)).toEqual(SESSION);
      }),
    );
  });

  test('passes without INFO where the connection goes on over TLS', () => {
    expect(passed(Buffer.from('PONG\r\n'), [1], true)).toEqual(Buffer.from('PONG\r\n'));
  });

  test('passes in whole lines, and payloads as they come', () => {
    const guard = new ProtocolGuard(false);
    expect(guard.pass(Buffer.from(`${INFO}MSG a 1 4\r`))).toEqual(Buffer.from(INFO));
    expect(guard.pass(Buffer.from('\nab'))).toEqual(Buffer.from('MSG a 1 4\r\nab'));
    expect(guard.pass(Buffer.from('cd\r\nPI'))).toEqual(Buffer.from('cd\r\n'));
  });

  test('passes or is malformed, whatever octets of it are others: the guard throws nothing else', () => {
    const changes = fc.array(fc.tuple(fc.nat(SESSION.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, (changed) => {
        const bytes = Buffer.from(SESSION);
        for (const [at, octet] of changed) bytes[at] = octet;
        try {
          passed(bytes, [16]);
        } catch (error) {
          expect(error).toBeInstanceOf(MigratableError);
        }
      }),
    );
  });
});

describe('what does not pass', () => {
  test.each([
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n', 'it speaks HTTP'],
    ['SSH, before its line has an end', 'SSH-2.0-OpenSSH_9.6', 'it speaks SSH'],
    ['anything else', 'hello', 'it speaks another protocol'],
    ['INFO without a version', 'INFO {}\r\n', 'INFO has no version of a server'],
    ['INFO without JSON', 'INFO {\r\n', 'INFO has no version of a server'],
    ['INFO without an end', `INFO ${' '.repeat(65_536)}`, 'a line is longer than 65536 bytes'],
  ])('%s is no NATS server', (_what, text, reason) => {
    expect(() => passed(Buffer.from(text))).toThrow(`is no NATS server: ${reason}`);
  });

  test.each([
    ['a line of no server', 'CONNECT {}\r\n', 'a line is no message of a server'],
    ['a line without an end', 'x'.repeat(65_537), 'a line is longer than 65536 bytes'],
    ['a message without a size', 'MSG orders 1\r\n', 'MSG has other arguments than a message'],
    ['a message with a size that is no number', 'MSG orders 1 -1\r\n', 'MSG has other arguments'],
    ['headers that are larger than the message', 'HMSG orders 1 9 8\r\n', 'HMSG has other arguments'],
    ['a message that is too large', 'MSG orders 1 67108865\r\n', 'more than 67108864'],
    ['a message that is longer than announced', 'MSG orders 1 1\r\nab\r\n', 'longer than announced'],
  ])("%s does not keep to NATS' protocol", (_what, text, reason) => {
    expect(after(text)).toThrow(reason);
    expect(after(text)).toThrow(/^does not keep to NATS' protocol: /);
  });
});
