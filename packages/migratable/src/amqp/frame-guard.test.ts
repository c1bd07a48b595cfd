import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MigratableError } from '../migratable-error.ts';
import { FrameGuard } from './frame-guard.ts';

const LIMITS = { frameMax: 256, mostBytes: 1000 };
const [METHOD, HEADER, BODY, HEARTBEAT] = [1, 2, 3, 8];

function frame(type: number, channel: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([uint(type, 1), uint(channel, 2), uint(payload.length, 4), payload, uint(0xce, 1)]);
}
function uint(value: number, octets: number): Buffer {
  const bytes = Buffer.alloc(octets);
  bytes.writeUIntBE(value, Math.max(0, octets - 6), Math.min(octets, 6));
  return bytes;
}
const short = (text: string): Buffer => Buffer.concat([uint(text.length, 1), Buffer.from(text)]);
const long = (text: string | Uint8Array): Buffer => Buffer.concat([uint(text.length, 4), Buffer.from(text)]);

type Entry = readonly [name: string, type: string, value: Buffer];
const table = (...entries: readonly Entry[]): Buffer =>
  long(Buffer.concat(entries.flatMap(([name, type, value]) => [short(name), Buffer.from(type), value])));
const method = (channel: number, group: number, id: number, ...values: readonly Buffer[]): Buffer =>
  frame(METHOD, channel, Buffer.concat([uint(group, 2), uint(id, 2), ...values]));

const PROPERTIES = table(
  ['product', 'S', long('a broker')],
  ['capabilities', 'F', table(['basic.nack', 't', uint(1, 1)])],
  ['versions', 'A', long(Buffer.concat([Buffer.from('s'), uint(3, 2), Buffer.from('V')]))],
);
const START = method(0, 10, 10, uint(0, 1), uint(9, 1), PROPERTIES, long('PLAIN'), long('en_US'));
const tune = (frameMax: number): Buffer => method(0, 10, 30, uint(2047, 2), uint(frameMax, 4), uint(60, 2));
const DELIVER = method(1, 60, 60, short('tag'), uint(1, 8), uint(0, 1), short(''), short('orders'));
/** Of a message with a content type, headers and a delivery mode. */
const header = (size: number): Buffer =>
  frame(
    HEADER,
    1,
    Buffer.concat([
      uint(60, 2),
      uint(0, 2),
      uint(size, 8),
      uint(0xb0_00, 2),
      short('text/plain'),
      table(['attempt', 'i', uint(7, 4)]),
      uint(2, 1),
    ]),
  );
const body = (text: string): Buffer => frame(BODY, 1, Buffer.from(text));
const FRAMES = [
  START,
  tune(131_072),
  method(0, 10, 41, short('')),
  method(1, 20, 11, long('')),
  DELIVER,
  header(5),
  body('abc'),
  body('de'),
  DELIVER,
  header(0),
  frame(HEARTBEAT, 0),
  method(1, 60, 80, uint(1, 8), uint(0, 1)),
  method(0, 10, 51),
];
const SESSION = Buffer.concat(FRAMES);
const ENDS = FRAMES.map((_frame, index) => Buffer.concat(FRAMES.slice(0, index + 1)).length);

/** What passes of bytes that come in chunks of these sizes, again and again. */
function passed(bytes: Buffer, sizes: readonly number[] = [bytes.length]): Buffer {
  const guard = new FrameGuard(LIMITS);
  const out: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    out.push(guard.pass(bytes.subarray(at, end)));
    at = end;
  }
  return Buffer.concat(out);
}
const after = (...frames: readonly Buffer[]): (() => Buffer) => {
  return () => passed(Buffer.concat([START, ...frames]));
};

describe('what a broker sends', () => {
  test('passes as it is, in chunks of any size, and only in whole frames', () => {
    expect(passed(SESSION)).toEqual(SESSION);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (sizes) => {
        expect(passed(SESSION, sizes)).toEqual(SESSION);
      }),
    );
  });

  test('passes up to the end of its last whole frame when it is cut off', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SESSION.length }), (length) => {
        const whole = ENDS.findLast((end) => end <= length) ?? 0;
        expect(passed(SESSION.subarray(0, length), [7])).toEqual(SESSION.subarray(0, whole));
      }),
    );
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
          passed(bytes, [64]);
        } catch (error) {
          expect(error).toBeInstanceOf(MigratableError);
        }
      }),
    );
  });
});

describe('what is no broker', () => {
  test.each([
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n', 'it speaks HTTP'],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'it speaks SSH'],
    ['NATS', 'INFO {"server_id":"N"}\r\n', 'it speaks NATS, nats:// is for that'],
    ['another AMQP', 'AMQP\0\u0001\0\0', 'it speaks another version of AMQP than 0-9-1'],
    ['TLS', '\u0015\u0003\u0001\0\u0002\u0002\u0016', 'it speaks TLS, amqps:// or tls:// is for that'],
    ['anything else', 'hello', 'it speaks another protocol'],
  ])('is rejected at its first bytes, and named: %s', (_what, bytes, reason) => {
    expect(() => passed(Buffer.from(bytes, 'latin1'))).toThrow(`is no AMQP broker: ${reason}`);
  });

  test('is rejected when it begins with another method', () => {
    expect(() => passed(tune(8192))).toThrow('is no AMQP broker: its first method is not connection.start');
  });
});

describe('what does not keep to the protocol is rejected', () => {
  test.each([
    [
      'a frame that is too large, before it has come',
      frame(METHOD, 0, Buffer.alloc(257)).subarray(0, 7),
      '257 bytes',
    ],
    ['a frame of an unknown type', frame(4, 0), 'bytes that are no frame'],
    ['a frame without its end', Buffer.concat([frame(HEARTBEAT, 0).subarray(0, 7), uint(1, 1)]), 'end octet'],
    ['a method without an id', frame(METHOD, 0, Buffer.alloc(2)), 'ends beyond its frame'],
    ['a method that only clients send', method(1, 60, 40, uint(0, 2)), '60.40 is no method of a server'],
    ['an argument that ends beyond its frame', method(0, 10, 60, uint(9, 1)), 'ends beyond its frame'],
    ['more than the arguments', method(0, 10, 51, uint(0, 1)), 'more than its arguments'],
    ['a method of the connection on a channel', method(1, 10, 51), 'is on channel 1'],
    ['a method of a channel on the connection', method(0, 20, 41), 'is on channel 0'],
    ['frames that are too small for the client', tune(4095), 'less than 4096'],
    [
      'a table with an unknown type',
      method(0, 10, 10, uint(9, 2), table(['a', '?', uint(0, 1)])),
      'unknown type',
    ],
    ['a header without a message', header(5), 'belongs to no message'],
    ['a body without a message', body('a'), 'belongs to no message'],
    ['a method within a message', Buffer.concat([DELIVER, DELIVER]), 'within a message'],
    [
      'a body that is larger than announced',
      Buffer.concat([DELIVER, header(1), body('ab')]),
      'belongs to no message',
    ],
    ['a message that is too large', Buffer.concat([DELIVER, header(1001)]), 'larger than 1000 bytes'],
  ])('%s', (_what, bytes, reason) => {
    expect(after(bytes)).toThrow(reason);
    expect(after(bytes)).toThrow(/^does not keep to AMQP 0-9-1: /);
  });

  test('tables within tables without an end', () => {
    const nested = (depth: number): Buffer => {
      let inner = table();
      for (let level = 1; level < depth; level++) inner = table(['', 'F', inner]);
      return method(0, 10, 10, uint(9, 2), inner, long(''), long(''));
    };
    const guard = (bytes: Buffer): Buffer =>
      new FrameGuard({ frameMax: 8192, mostBytes: 0 }).pass(Buffer.concat([START, bytes]));
    expect(guard(nested(64))).toHaveLength(START.length + nested(64).length);
    expect(() => guard(nested(65))).toThrow('nested deeper than 64');
  });

  test('messages on many channels that are too large together', () => {
    const on = (channel: number, bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes);
      copy.writeUInt16BE(channel, 1);
      return copy;
    };
    const begun = (channel: number): Buffer =>
      Buffer.concat([on(channel, DELIVER), on(channel, header(400))]);
    expect(after(begun(1), begun(2))()).toBeInstanceOf(Buffer);
    expect(after(begun(1), begun(2), begun(3))).toThrow('larger than 1000 bytes');
  });
});
