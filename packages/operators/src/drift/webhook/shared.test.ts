import { expect, test } from 'vitest';
import { shared, sharedText } from './shared.ts';

test('equal objects and texts are one, as long as they are short', () => {
  expect(shared({ replicas: 2 })).toBe(shared({ replicas: 2 }));
  expect(shared({ replicas: 3 })).toEqual({ replicas: 3 });
  const long = { text: 'x'.repeat(500) };
  expect(shared({ ...long })).not.toBe(shared(long));
  expect(sharedText('a')).toBe('a');
});

test('each has its own value where there are more than are known', () => {
  const values = Array.from({ length: 2500 }, (_, index) => ({ replicas: index }));
  expect(values.map(shared)).toEqual(values);
  expect(values.map(({ replicas }) => sharedText(`text ${replicas}`)).at(-1)).toBe('text 2499');
});
