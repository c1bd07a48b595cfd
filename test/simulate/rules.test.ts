import assert from 'node:assert/strict';
import { OPERATORS } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong, seed } from '../support/seeds.ts';
import { OPERATOR_DAYS } from './operator-days.ts';
import { rightsOf } from './rights.ts';
import { denial, playForRights } from './rules.ts';

/** Of the rights of each operator, so many are taken away to see that it fails then. */
const TAKEN = 2;

/** Only in the long run: it plays a day for each right that is taken away. */
describe.each(OPERATORS)('operator $name', (operator) => {
  const day = OPERATOR_DAYS[operator.name];

  test.runIf(isLong)(
    'uses each of its rights, and fails when one is taken away [needs npm run test:long]',
    async () => {
      // The operator of the day, where there is one: it also plays those who call it.
      const rights = rightsOf(day?.operator ?? (await operator.load()), day?.anyKind);
      assert(day !== undefined || rights.length === 0, 'it has no day');
      if (day === undefined) return;
      const { calm, never } = await playForRights(day, rights);
      expect(never.map(({ name }) => name)).toEqual([]);
      for (let taken = 0; taken < TAKEN; taken++) {
        const right = calm[(seed + taken * Math.ceil(calm.length / TAKEN)) % calm.length];
        assert(right !== undefined);
        expect(await denial(day, right), `without ${right.name}`).toContain('is forbidden: ');
      }
    },
  );
});
