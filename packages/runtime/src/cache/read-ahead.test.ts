import { expect, it } from 'vitest';
import { RuntimeError } from '../runtime-error.ts';
import { readAhead } from './read-ahead.ts';

/** Pages that answer when they are told to. */
function pages() {
  const asked: (string | undefined)[] = [];
  const known = new Map<
    string | undefined,
    { name: (next: string) => void; answer: (text: string) => void }
  >();
  const failing = new Set<string | undefined>();
  const read = readAhead(
    (page, _signal, name) =>
      new Promise<string>((answer, fail) => {
        asked.push(page);
        known.set(page, { name, answer });
        if (failing.delete(page)) fail(new RuntimeError('TimedOut', `no page ${page}`));
      }),
  );
  const { signal } = new AbortController();
  const page = (token?: string) => known.get(token) ?? expect.fail(`${token} was not asked for`);
  return { asked, failing, page, read: (token?: string) => read(token, signal) };
}

it('asks for the next page when it is named, not when the present one is there, and for no further one', async () => {
  const { asked, page, read } = pages();
  const first = read();
  page().name('b');
  expect(asked).toEqual([undefined, 'b']);
  page('b').name('c');
  expect(asked).toEqual([undefined, 'b']);
  page().answer('1');
  expect(await first).toBe('1');
  const second = read('b');
  expect(asked).toEqual([undefined, 'b', 'c']);
  page('b').answer('2');
  expect(await second).toBe('2');
});

it('asks for a page again that failed when it was ahead', async () => {
  const { asked, failing, page, read } = pages();
  const first = read();
  failing.add('b');
  page().name('b');
  page().answer('1');
  await first;
  await expect(read('b')).rejects.toThrow('no page b');
  const again = read('b');
  page('b').answer('2');
  expect(await again).toBe('2');
  expect(asked).toEqual([undefined, 'b', 'b']);
});

it('forgets what is ahead when the list begins anew', async () => {
  const { asked, page, read } = pages();
  const cut = read();
  page().name('b');
  void cut;
  const anew = read();
  page().answer('1');
  expect(await anew).toBe('1');
  const second = read('b');
  page('b').answer('2');
  expect(await second).toBe('2');
  expect(asked).toEqual([undefined, 'b', undefined, 'b']);
});
