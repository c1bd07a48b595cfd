import assert from 'node:assert/strict';

/** Of a 64-bit header, little-endian: where its fields are. */
const PROGRAMS = { offset: 32, entrySize: 54, count: 56 };
const SECTIONS = { offset: 40, count: 60, names: 62 };
/** Of a program header. */
const SEGMENT = { type: 0, offset: 8, fileSize: 32, align: 48 };
/** The type of a segment that is loaded. */
const LOAD = 1;
/** The largest page that Linux has on amd64 and arm64. A segment is mapped if its place in the file fits that of its page. */
const PAGE = 65_536n;

/**
 * An ELF program without what no loader reads: its symbols, and the table of sections that names them. They stand behind the last
 * segment. For any architecture, where strip needs one of its own.
 */
export function withoutSymbols(program: Uint8Array): Uint8Array {
  const elf = Buffer.from(program);
  const headers = headersOf(elf);
  const ends = headers.map((header) => endOf(elf, header));
  elf.writeBigUInt64LE(0n, SECTIONS.offset);
  elf.writeUInt16LE(0, SECTIONS.count);
  elf.writeUInt16LE(0, SECTIONS.names);
  return elf.subarray(
    0,
    ends.reduce((a, b) => (a > b ? a : b), 0),
  );
}

/**
 * A program without symbols, and without the zeros between its segments that are there to align them in the file as in memory, to
 * 2 MB: pages are enough. Addresses stay as they are.
 */
export function withoutPadding(program: Uint8Array): Uint8Array {
  let elf: Buffer = Buffer.from(program);
  assert(elf.readBigUInt64LE(SECTIONS.offset) === 0n, 'its table of sections would be wrong');
  const loaded = headersOf(elf).filter((header) => elf.readUInt32LE(header + SEGMENT.type) === LOAD);
  for (const [index, header] of loaded.entries()) {
    const before = loaded[index - 1];
    if (before !== undefined) elf = closeGap(elf, endOf(elf, before), offsetOf(elf, header));
  }
  return elf;
}

/** Cuts whole pages of zeros: what follows keeps its place in its page. */
function closeGap(elf: Buffer, from: number, to: number): Buffer {
  const cut = BigInt(to - from) - (BigInt(to - from) % PAGE);
  if (to <= from || cut === 0n) return elf;
  assert(
    elf.subarray(from, to).every((byte) => byte === 0),
    'there is content between two segments',
  );
  for (const header of headersOf(elf)) {
    const offset = elf.readBigUInt64LE(header + SEGMENT.offset);
    if (offset < BigInt(to)) continue;
    elf.writeBigUInt64LE(offset - cut, header + SEGMENT.offset);
    const align = elf.readBigUInt64LE(header + SEGMENT.align);
    if (align > PAGE) elf.writeBigUInt64LE(PAGE, header + SEGMENT.align);
  }
  return Buffer.concat([elf.subarray(0, to - Number(cut)), elf.subarray(to)]);
}

/** Where the headers of the segments are. */
function headersOf(elf: Buffer): readonly number[] {
  assert(elf.subarray(0, 6).equals(Buffer.from('\u007fELF\u0002\u0001')), 'it is no ELF of 64 bits');
  const at = Number(elf.readBigUInt64LE(PROGRAMS.offset));
  const size = elf.readUInt16LE(PROGRAMS.entrySize);
  return Array.from({ length: elf.readUInt16LE(PROGRAMS.count) }, (_, index) => at + index * size);
}

const offsetOf = (elf: Buffer, header: number): number =>
  Number(elf.readBigUInt64LE(header + SEGMENT.offset));
const endOf = (elf: Buffer, header: number): number =>
  offsetOf(elf, header) + Number(elf.readBigUInt64LE(header + SEGMENT.fileSize));
