import { MigratableError } from '../migratable-error.ts';
import { checkMethod, CONNECTION_START } from './check-method.ts';
import { Contents } from './contents.ts';
import { foreignProtocol } from '../foreign-protocol.ts';

const [METHOD, HEADER, BODY, HEARTBEAT] = [1, 2, 3, 8];
const END = 0xce;
const BEFORE_PAYLOAD = 7;
const AROUND_PAYLOAD = 8;

export type FrameLimits = {
  /** The largest payload of a frame that the client has negotiated. */
  readonly frameMax: number;
  /** Of messages that have begun and not ended. */
  readonly mostBytes: number;
  /** Sees the payload of `connection.start`. */
  readonly onStart?: (payload: Buffer) => void;
};

/**
 * What a server sends, in chunks of any size: only whole, well-formed frames of AMQP 0-9-1 pass, beginning with
 * `connection.start`. It keeps less than one frame. What does not pass throws `Malformed`, with a text that has the
 * server as its subject; then nothing passes any more.
 */
export class FrameGuard {
  readonly #frameMax: number;
  readonly #contents: Contents;
  readonly #onStart: FrameLimits['onStart'];
  #kept: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  constructor({ frameMax, mostBytes, onStart }: FrameLimits) {
    this.#onStart = onStart;
    this.#frameMax = frameMax;
    this.#contents = new Contents(mostBytes);
  }

  /** The frames that this chunk completes. */
  pass(chunk: Buffer): Buffer {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    let end = 0;
    for (let size = this.#sizeAt(bytes, end); size !== undefined; size = this.#sizeAt(bytes, end)) {
      this.#check(bytes.subarray(end, end + size));
      end += size;
    }
    // A copy: the chunk may be a part of something larger.
    this.#kept = Buffer.from(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  /** Of the frame that begins here, with what is around its payload; undefined where it has not come as a whole. */
  #sizeAt(bytes: Buffer, at: number): number | undefined {
    if (at >= bytes.length) return undefined;
    this.#checkType(bytes.subarray(at));
    if (bytes.length - at < BEFORE_PAYLOAD) return undefined;
    const payload = bytes.readUInt32BE(at + 3);
    if (payload > this.#frameMax)
      throw this.#malformed(`a frame of ${payload} bytes, more than ${this.#frameMax}`);
    return bytes.length - at < payload + AROUND_PAYLOAD ? undefined : payload + AROUND_PAYLOAD;
  }

  #checkType(bytes: Buffer): void {
    const type = bytes[0];
    if (!this.#hasBegun && type !== METHOD)
      throw new MigratableError('Malformed', `is no AMQP broker: ${foreignProtocol(bytes)}`);
    if (type !== METHOD && type !== HEADER && type !== BODY && type !== HEARTBEAT)
      throw this.#malformed('bytes that are no frame');
  }

  #check(frame: Buffer): void {
    const [type, channel] = [frame[0], frame.readUInt16BE(1)];
    const payload = frame.subarray(BEFORE_PAYLOAD, -1);
    if (frame.at(-1) !== END) throw this.#malformed('a frame without its end octet');
    try {
      if (type === METHOD) this.#method(channel, payload);
      else if (type === HEADER) this.#contents.header(channel, payload);
      else if (type === BODY) this.#contents.body(channel, payload.length);
    } catch (error) {
      throw error instanceof MigratableError ? this.#malformed(error.message) : error;
    }
  }

  #method(channel: number, payload: Buffer): void {
    const method = checkMethod(payload, channel);
    if (!this.#hasBegun && method !== CONNECTION_START)
      throw new MigratableError('Malformed', 'its first method is not connection.start');
    if (!this.#hasBegun) this.#onStart?.(payload);
    this.#hasBegun = true;
    this.#contents.method(channel, method);
  }

  #malformed(reason: string): MigratableError {
    const what = this.#hasBegun ? 'does not keep to AMQP 0-9-1' : 'is no AMQP broker';
    return new MigratableError('Malformed', `${what}: ${reason}`);
  }
}
