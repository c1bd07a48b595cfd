import assert from 'node:assert/strict';

/** Of a 64-bit header, little-endian: where its fields are. */
const PROGRAMS = { offset: 32, entrySize: 54, count: 56 };
const SECTIONS = { offset: 40, count: 60, names: 62 };
/** Of a program header. */
const SEGMENT = { offset: 8, fileSize: 32 };

/**
 * An ELF program without what no loader reads: its symbols, and the table of sections that names them. They stand behind the last
 * segment. For any architecture, where strip needs one of its own.
 */
export function withoutSymbols(program: Uint8Array): Uint8Array {
  const elf = Buffer.from(program);
  assert(elf.subarray(0, 6).equals(Buffer.from('\u007fELF\u0002\u0001')), 'it is no ELF of 64 bits');
  const at = Number(elf.readBigUInt64LE(PROGRAMS.offset));
  const size = elf.readUInt16LE(PROGRAMS.entrySize);
  const headers = Array.from({ length: elf.readUInt16LE(PROGRAMS.count) }, (_, index) => at + index * size);
  const ends = headers.map(
    (header) =>
      Number(elf.readBigUInt64LE(header + SEGMENT.offset)) +
      Number(elf.readBigUInt64LE(header + SEGMENT.fileSize)),
  );
  elf.writeBigUInt64LE(0n, SECTIONS.offset);
  elf.writeUInt16LE(0, SECTIONS.count);
  elf.writeUInt16LE(0, SECTIONS.names);
  return elf.subarray(0, Math.max(at + headers.length * size, ...ends));
}
