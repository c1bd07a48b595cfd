import { expect, test } from 'vitest';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseTime } from './format-time.ts';

test('times are written in UTC, without fraction or with six digits', () => {
  const date = new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  expect(formatTime(date)).toBe('2026-01-02T03:04:05Z');
  expect(formatMicroTime(date)).toBe('2026-01-02T03:04:05.678000Z');
  expect(parseTime('2026-01-02T04:04:05.678+01:00')).toEqual(date);
});

test('each second has its own text, in whatever order they come', () => {
  const at = (ms: number): string => formatTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms));
  expect([at(0), at(999), at(1000), at(0), at(-1)].map((text) => text.slice(-3))).toEqual([
    '05Z',
    '05Z',
    '06Z',
    '05Z',
    '04Z',
  ]);
  expect(() => formatTime(new Date(Number.NaN))).toThrow(RangeError);
});

test.each([
  ['2020-01-02T03:04:05.9Z', '2020-01-02T03:04:05Z'],
  ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05Z'],
  ['2020-01-02T3:04:05Z', '2020-01-02T03:04:05Z'],
  ['2020-01-02T03:04:05,5Z', '2020-01-02T03:04:05Z'],
  ['9999-12-31T23:59:59-01:00', '10000-01-01T00:59:59Z'],
  ['0001-01-01T00:00:00Z', null],
])('an API server keeps %s as %s', (text, kept) => {
  expect(canonicalTime(text)).toBe(kept);
});

test('a MicroTime has six digits, no more and no fewer', () => {
  expect(canonicalMicroTime('2020-01-02T03:04:05.123456+02:00')).toBe('2020-01-02T01:04:05.123456Z');
  expect(() => canonicalMicroTime('2020-01-02T03:04:05Z')).toThrow('cannot parse "Z" as ".000000"');
  expect(() => canonicalMicroTime('2020-01-02T03:04:05.1234567Z')).toThrow('cannot parse "7Z" as "Z07:00"');
});

test.each([
  ['abc', 'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"'],
  ['2020-13-02T03:04:05Z', 'parsing time "2020-13-02T03:04:05Z": month out of range'],
  ['2019-02-29T03:04:05Z', 'parsing time "2019-02-29T03:04:05Z": day out of range'],
  ['2020-01-02T24:04:05Z', 'parsing time "2020-01-02T24:04:05Z": hour out of range'],
  ['2020-01-02T03:04:05Zx', 'parsing time "2020-01-02T03:04:05Zx": extra text: "x"'],
  [
    'é',
    String.raw`parsing time "\xc3\xa9" as "2006-01-02T15:04:05Z07:00": cannot parse "\xc3\xa9" as "2006"`,
  ],
])('%j is refused in the words of Go', (text, message) => {
  expect(() => canonicalTime(text)).toThrow(expect.objectContaining({ code: 'InvalidTime', message }));
});
