import { expect, test } from 'vitest';
import { nacksInPlace, serverVersion } from './server-version.ts';

const started = (version: string, length = version.length): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(length);
  const before = Buffer.from('\u0007productS\0\0\0\u0008RabbitMQ\u0007versionS');
  return Buffer.concat([before, size, Buffer.from(version)]);
};

test('the version of a server is what it begins with', () => {
  expect(serverVersion(started('4.3.6'))).toBe('4.3.6');
  expect(serverVersion(started('4.3.6', 2 ** 32 - 1))).toBe('4.3.6');
  expect(serverVersion(Buffer.from('\u0007versionS\0'))).toBeUndefined();
  expect(serverVersion(Buffer.alloc(0))).toBeUndefined();
});

test.each([
  ['3.10.8', false],
  ['4.2.9', false],
  ['4.3.0', true],
  ['4.10.1', true],
  ['5.0.0-rc.1', true],
  ['other', false],
  [undefined, false],
])('what is nacked stays in its place at version %s: %s', (version, expected) => {
  expect(nacksInPlace(version)).toBe(expected);
});
