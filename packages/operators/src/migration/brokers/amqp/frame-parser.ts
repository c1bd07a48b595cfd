import { OperatorError } from '../../../operator-error.ts';

export type FrameType = 'method' | 'header' | 'body' | 'heartbeat';
export type Frame = { readonly type: FrameType; readonly channel: number; readonly payload: Buffer };

const TYPES: Readonly<Record<FrameType, number>> = { method: 1, header: 2, body: 3, heartbeat: 8 };
const END = 0xce;
const AROUND = 8;
/** The largest accepted or sent frame, with its header and end. */
export const FRAME_MAX = 131_072;

export function frame(type: FrameType, channel: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(payload.length + AROUND);
  bytes.writeUInt8(TYPES[type], 0);
  bytes.writeUInt16BE(channel, 1);
  bytes.writeUInt32BE(payload.length, 3);
  bytes.set(payload, 7);
  bytes.writeUInt8(END, bytes.length - 1);
  return bytes;
}

/** A message's body in frames of at most `frameMax` bytes. */
export function bodyFrames(channel: number, body: Uint8Array, frameMax: number): readonly Buffer[] {
  const size = frameMax - AROUND;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    frame('body', channel, body.subarray(index * size, (index + 1) * size)),
  );
}

/** Splits a stream of bytes, in chunks of any size, into frames. Throws `Usage` for malformed ones. */
export class FrameParser {
  #bytes: Buffer = Buffer.alloc(0);

  *parse(chunk: Buffer): Generator<Frame> {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (let found = this.#next(); found !== undefined; found = this.#next()) yield found;
  }

  #next(): Frame | undefined {
    const bytes = this.#bytes;
    if (bytes.length < AROUND) return undefined;
    const size = bytes.readUInt32BE(3);
    const type = (Object.keys(TYPES) as FrameType[]).find((one) => TYPES[one] === bytes.readUInt8(0));
    if (type === undefined || size > FRAME_MAX) throw new OperatorError('Usage', 'not an AMQP frame');
    const length = size + AROUND;
    if (bytes.length < length) return undefined;
    if (bytes.readUInt8(length - 1) !== END)
      throw new OperatorError('Usage', 'an AMQP frame has no end octet');
    this.#bytes = bytes.subarray(length);
    return { type, channel: bytes.readUInt16BE(1), payload: bytes.subarray(7, length - 1) };
  }
}
