import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withoutPadding, withoutSymbols } from '../../tools/release/without-symbols.ts';

const PROGRAM = '/bin/echo';
const needs = process.platform === 'linux' ? '' : ' [needs Linux]';

test.skipIf(needs !== '')(`a program without its symbols is smaller, and runs${needs}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-symbols-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const whole = readFileSync(PROGRAM);
  const stripped = withoutSymbols(whole);
  expect(stripped.length).toBeLessThan(whole.length);
  const path = join(folder, 'echo');
  writeFileSync(path, stripped, { mode: 0o755 });
  expect(spawnSync(path, ['it', 'runs'], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: 'it runs\n',
  });
});

/** As the linker of Node aligns it: zeros before each segment that is loaded, the first one excepted. */
function padded(program: Uint8Array, zeros: number): Uint8Array {
  let elf: Buffer = Buffer.from(program);
  const count = elf.readUInt16LE(56);
  for (let index = count - 1; index >= 0; index -= 1) {
    const start = Number(elf.readBigUInt64LE(64 + index * 56 + 8));
    if (elf.readUInt32LE(64 + index * 56) !== 1 || start === 0) continue;
    elf = Buffer.concat([elf.subarray(0, start), Buffer.alloc(zeros), elf.subarray(start)]);
    for (let at = 64; at < 64 + count * 56; at += 56) {
      const offset = Number(elf.readBigUInt64LE(at + 8));
      if (offset >= start) elf.writeBigUInt64LE(BigInt(offset + zeros), at + 8);
    }
  }
  return elf;
}

test.skipIf(needs !== '')(`a program without the zeros between its segments runs as before${needs}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-padding-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stripped = withoutSymbols(readFileSync(PROGRAM));
  const large = padded(stripped, 2 ** 21);
  expect(large.length).toBeGreaterThan(stripped.length + 2 ** 21);
  const packed = withoutPadding(large);
  expect(Buffer.compare(packed, stripped)).toBe(0);
  for (const program of [large, packed]) {
    const path = join(folder, `echo-${program.length}`);
    writeFileSync(path, program, { mode: 0o755 });
    expect(spawnSync(path, ['it', 'runs'], { encoding: 'utf8' })).toMatchObject({ stdout: 'it runs\n' });
  }
});

test('a program is packed only once its symbols are gone, whose places it would lose', () => {
  expect(() => withoutPadding(readFileSync(PROGRAM))).toThrow('its table of sections would be wrong');
});

test('what is no program is rejected', () => {
  expect(() => withoutSymbols(Buffer.from('#!/bin/sh\n'))).toThrow('it is no ELF of 64 bits');
});
