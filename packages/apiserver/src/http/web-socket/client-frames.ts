/** What a client may send that matters to a server that only sends. */
export type ClientFrames = {
  /** Each ping is to be returned. */
  ping(payload: Uint8Array): void;
  /** The client wants to end, or breaks the protocol: then `status` says how. */
  end(status?: number): void;
};

const [CLOSE, PING] = [0x8, 0x9];
const PROTOCOL_ERROR = 1002;
const LONGEST_CONTROL = 125;
const MASKED = 0x80;
const LENGTH = 0x7f;

/**
 * Reads what a client sends (RFC 6455, 5.2), piece by piece. Data is skipped, of whatever length: of a frame only the payload
 * of a ping is kept.
 */
export function clientFrames(heard: ClientFrames): (bytes: Uint8Array) => void {
  let head: Buffer = Buffer.alloc(0);
  let toSkip = 0n;
  let isOver = false;
  const end = (status?: number): void => {
    isOver = true;
    heard.end(status);
  };
  /** Handles the frame at the beginning of `bytes`; returns the rest, or undefined while it is not complete. */
  const frame = (bytes: Buffer): Buffer | undefined => {
    const read = headOf(bytes);
    if (read === undefined) return undefined;
    const { opcode, masked, length, from } = read;
    if (!masked || (opcode >= CLOSE && length > LONGEST_CONTROL)) {
      end(PROTOCOL_ERROR);
    } else if (opcode === CLOSE) {
      end();
    } else if (opcode === PING) {
      const to = from + Number(length);
      if (bytes.length < to) return undefined;
      heard.ping(unmasked(bytes.subarray(from, to), bytes.subarray(from - 4, from)));
      return bytes.subarray(to);
    } else {
      toSkip = length;
      return bytes.subarray(from);
    }
    return undefined;
  };
  return (bytes) => {
    if (isOver) return;
    let rest: Buffer | undefined = Buffer.concat([head, bytes]);
    while (rest !== undefined && rest.length > 0) {
      const skipped: number = toSkip < BigInt(rest.length) ? Number(toSkip) : rest.length;
      toSkip -= BigInt(skipped);
      head = rest.subarray(skipped);
      rest = head.length === 0 ? undefined : frame(head);
      if (rest !== undefined) head = rest;
    }
  };
}

type Head = {
  readonly opcode: number;
  readonly masked: boolean;
  readonly length: bigint;
  /** Where the payload begins. */
  readonly from: number;
};

function headOf(bytes: Buffer): Head | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const masked = (second & MASKED) !== 0;
  const short = second & LENGTH;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  const from = 2 + extra + (masked ? 4 : 0);
  if (bytes.length < from) return undefined;
  const length =
    extra === 2 ? BigInt(bytes.readUInt16BE(2)) : extra === 8 ? bytes.readBigUInt64BE(2) : BigInt(short);
  return { opcode: first & 0x0f, masked, length, from };
}

function unmasked(payload: Buffer, mask: Buffer): Uint8Array {
  return payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
}
