import { expect, test } from 'vitest';
import { normalise } from './kubectl-session.ts';

test('ages are replaced, and generated names that look like an age are kept', () => {
  expect(normalise('web-d5f66999c-5252s   1/1   Running   94d2h   5m20s ago\n')).toBe(
    'web-d5f66999c-5252s 1/1 Running <age> <age>\n',
  );
});
