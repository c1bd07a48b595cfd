import { expect, test } from 'vitest';
import { isWorthResizing, MI, nextSize, recommendResource, type Use } from './recommend-resource.ts';

type Case = { used: number; request?: number; limit?: number; own?: number; isShort?: boolean };

const use = ({ used, request, limit, own, isShort = false }: Case): Use => ({
  used: used * MI,
  size: {
    request: request === undefined ? undefined : request * MI,
    limit: limit === undefined ? undefined : limit * MI,
  },
  own: { request: own === undefined ? undefined : own * MI },
  isShort,
  wasShort: isShort,
});

/** `192/384`: request and limit in Mi after the next change; `-` where none is worth it. */
function changeOf(resource: 'memory', each: Case): string {
  const target = recommendResource(resource, use(each));
  if (!isWorthResizing(resource, target, (each.request ?? 0) * MI)) return '-';
  const { request = 0, limit = 0 } = nextSize(resource, target, use(each));
  return `${request / MI}/${limit / MI}`;
}

test.each<readonly [string, Case, string]>([
  ['CRT-A11 less, by a quarter', { used: 110, request: 256, limit: 512 }, '192/384'],
  ['CRT-A12 more, by a quarter', { used: 400, request: 256, limit: 512 }, '320/480'],
  ['CRT-A13 about as much', { used: 205, request: 256, limit: 384 }, '-'],
  ['CRT-A14 the class asks for it', { used: 100, request: 256, limit: 512, own: 256 }, '-'],
  ['CRT-A15 killed for want of it', { used: 180, request: 256, limit: 384, isShort: true }, '368/560'],
  ['less, but it was close to its limit', { used: 110, request: 256, limit: 180 }, '-'],
  ['nothing asked for yet', { used: 100 }, '128/192'],
  ['hardly any', { used: 1 }, '64/128'],
  ['no more than is sane', { used: 9000, request: 4096, limit: 8192 }, '-'],
])('memory: %s', (_title, each, expected) => {
  expect(changeOf('memory', each)).toBe(expected);
});

test.each([
  [{ used: 100, size: {}, own: {} }, 115],
  [{ used: 1, size: {}, own: {} }, 25],
  [{ used: 100, size: {}, own: { request: 400 } }, 400],
  [{ used: 900, size: { limit: 500 }, own: {} }, 500],
])('CPU: %o needs %d', (each, expected) => {
  expect(recommendResource('cpu', each)).toBe(expected);
  expect(nextSize('cpu', 150, { ...each, size: { request: 100 } })).toEqual({ request: 125 });
});
