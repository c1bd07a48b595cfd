import { foreignProtocol } from '../../foreign-protocol.ts';
import type { Guard } from '../../guard-socket.ts';
import { MigratableError } from '../../migratable-error.ts';
import { payloadOf } from './payload-of.ts';

/** Of a line: what a server says about itself has its addresses. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * What a NATS server sends, in chunks of any size: only whole lines of its protocol pass, and the payloads that they
 * announce. It keeps less than one line. What does not pass throws `Malformed`; then nothing passes any more.
 */
export class ProtocolGuard implements Guard {
  #hasBegun: boolean;
  #kept: Buffer = Buffer.alloc(0);
  /** Bytes of a payload that are still to come. */
  #payload = 0;
  /** A payload is over, and its line has to end. */
  #isAfterPayload = false;

  /** `isUpgraded`: the connection goes on over TLS, and the server has said `INFO` before. */
  constructor(isUpgraded: boolean) {
    this.#hasBegun = isUpgraded;
  }

  pass(chunk: Buffer): Buffer {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    let end = this.#afterPayload(bytes, 0);
    for (let line = lineAt(bytes, end); line !== undefined; line = lineAt(bytes, end)) {
      this.#check(line);
      end = this.#afterPayload(bytes, bytes.indexOf(NEWLINE, end) + 1);
    }
    this.#checkRest(bytes.subarray(end));
    // A copy: the chunk may be a part of something larger.
    this.#kept = Buffer.from(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  #afterPayload(bytes: Buffer, at: number): number {
    const taken = Math.min(this.#payload, bytes.length - at);
    this.#payload -= taken;
    return at + taken;
  }

  #check(line: Buffer): void {
    if (this.#isAfterPayload) {
      if (line.length > 0) throw this.#malformed('a message is longer than announced');
      this.#isAfterPayload = false;
      return;
    }
    if (line.length > LONGEST_LINE) throw this.#malformed(`a line is longer than ${LONGEST_LINE} bytes`);
    if (!this.#hasBegun) this.#checkBegin(line);
    try {
      const payload = payloadOf(line.toString());
      this.#hasBegun = true;
      if (payload === undefined) return;
      [this.#payload, this.#isAfterPayload] = [payload, true];
    } catch (error) {
      throw error instanceof MigratableError ? this.#malformed(error.message) : error;
    }
  }

  /** Without waiting for the end of a line that has none. */
  #checkRest(rest: Buffer): void {
    if (!this.#hasBegun) this.#checkBegin(rest);
    if (this.#payload === 0 && rest.length > LONGEST_LINE)
      throw this.#malformed(`a line is longer than ${LONGEST_LINE} bytes`);
  }

  #checkBegin(bytes: Buffer): void {
    const begin = 'INFO '.slice(0, bytes.length);
    if (bytes.toString('latin1', 0, begin.length).toUpperCase() !== begin)
      throw new MigratableError('Malformed', `is no NATS server: ${foreignProtocol(bytes)}`);
  }

  #malformed(reason: string): MigratableError {
    const what = this.#hasBegun ? "does not keep to NATS' protocol" : 'is no NATS server';
    return new MigratableError('Malformed', `${what}: ${reason}`);
  }
}

/** Without its end; undefined where that has not come. */
function lineAt(bytes: Buffer, at: number): Buffer | undefined {
  const end = bytes.indexOf(NEWLINE, at);
  if (end === -1) return undefined;
  return bytes.subarray(at, end > at && bytes[end - 1] === RETURN ? end - 1 : end);
}
