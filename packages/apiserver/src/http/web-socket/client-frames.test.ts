import { expect, test } from 'vitest';
import { clientFrames } from './client-frames.ts';

const MASK = Buffer.of(1, 2, 3, 4);

function frame(opcode: number, payload: Buffer, head = Buffer.of(0x80 | payload.length)): Buffer {
  return Buffer.concat([
    Buffer.of(0x80 | opcode),
    head,
    MASK,
    payload.map((byte, at) => byte ^ (MASK[at % 4] ?? 0)),
  ]);
}

/** What is heard of bytes that come in pieces of `size`. */
function heardOf(bytes: Buffer, size = bytes.length): readonly string[] {
  const heard: string[] = [];
  const read = clientFrames({
    ping: (payload) => heard.push(`ping ${Buffer.from(payload).toString()}`),
    end: (status) => heard.push(`end ${status ?? ''}`),
  });
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return heard;
}

test('pings and the close are heard behind data of any length, in pieces of any size', () => {
  const length = Buffer.alloc(3);
  length.writeUInt8(0x80 | 126);
  length.writeUInt16BE(1000, 1);
  const long = Buffer.alloc(9);
  long.writeUInt8(0x80 | 127);
  long.writeBigUInt64BE(70_000n, 1);
  const bytes = Buffer.concat([
    frame(0x9, Buffer.from('one')),
    frame(0x1, Buffer.alloc(1000, 'x'), length),
    frame(0x9, Buffer.from('two')),
    frame(0x2, Buffer.alloc(70_000, 'y'), long),
    frame(0xa, Buffer.from('pong')),
    frame(0x9, Buffer.alloc(0)),
    frame(0x8, Buffer.alloc(0)),
    frame(0x9, Buffer.from('too late')),
  ]);
  for (const size of [1, 2, 7, 1024, bytes.length])
    expect(heardOf(bytes, size)).toEqual(['ping one', 'ping two', 'ping ', 'end ']);
});

test('a frame without a mask, and a ping that is longer than pings may be, breach the protocol', () => {
  expect(heardOf(Buffer.of(0x81, 0))).toEqual(['end 1002']);
  expect(heardOf(Buffer.of(0x89, 0x80 | 126, 0, 126, ...MASK))).toEqual(['end 1002']);
});

test('data of more bytes than there are is skipped, and nothing of it is kept', () => {
  const endless = Buffer.concat([Buffer.of(0x82, 0x80 | 127), Buffer.alloc(8, 0x7f), MASK]);
  expect(heardOf(Buffer.concat([endless, Buffer.alloc(100_000, 0x89)]), 1000)).toEqual([]);
});
