import { describe, expect, test } from 'vitest';
import { hasFormat } from './has-format.ts';

const many = 300_000;

describe('a text that only almost has a format is rejected in time that grows as the text', () => {
  test.each<[format: string, text: string]>([
    ['duration', `${'11x'.repeat(27)}!`],
    ['duration', `${'1.5.'.repeat(27)}!`],
    ['duration', '1'.repeat(many)],
    ['uri', `http://${'@'.repeat(many)}:x`],
    ['uri', `http://[${']'.repeat(many)}x:y`],
    ['email', 'a@'.repeat(many)],
    ['hostname', 'a-'.repeat(many)],
    ['k8s-long-name', 'a.'.repeat(many)],
    ['datetime', `2024-01-01t${'0'.repeat(many)}`],
    ['rgbcolor', `rgb(${' '.repeat(many)}1`],
    ['mac', '00:'.repeat(many)],
    ['byte', `${'AAAA'.repeat(many)}!`],
    ['cidr', '/'.repeat(many)],
    ['ipv6', ':'.repeat(many)],
    ['isbn', '-'.repeat(many)],
  ])('%s', (format, text) => {
    expect(hasFormat(format, text)).toBe(false);
  });
});

test.each<[format: string, text: string]>([
  ['duration', '11s'.repeat(1000)],
  ['duration', '1.5h3m.2s'],
  ['duration', '3 days'],
  // A part of it is a duration in words.
  ['duration', `${'11s'.repeat(30)}!`],
  ['uri', 'http://user:word@example.com:80/a'],
  ['uri', 'http://a@b@example.com'],
  ['uri', 'http://[::1]:80/'],
])('%s takes %j', (format, text) => {
  expect(hasFormat(format, text)).toBe(true);
});

test.each(['http://a:b', 'http://u@a:b', 'http://a:1:2', 'http://[::1]x'])('uri rejects %s', (text) => {
  expect(hasFormat('uri', text)).toBe(false);
});
