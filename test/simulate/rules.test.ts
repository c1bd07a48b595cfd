import assert from 'node:assert/strict';
import { runWorld } from '@kubewright/cluster';
import { OPERATORS } from '@kubewright/operators';
import { describe, expect, test } from 'vitest';
import { isLong } from '../support/seeds.ts';
import { OPERATOR_DAYS } from './operator-days.ts';
import { operatorScenario } from './operator-scenario.ts';
import { lackingEach, missedRight } from './rules.ts';

/** `npm test` takes away the first right of one operator, `npm run test:long` each right of each operator. */
describe.each(isLong ? OPERATORS : OPERATORS.slice(0, 1))('operator $name', (operator) => {
  const day = OPERATOR_DAYS[operator.name];
  const needs = day === undefined ? ' [needs a day in test/simulate/operator-days.ts]' : '';

  test.runIf(day !== undefined || isLong)(
    `misses each of its rights when it is taken away${needs}`,
    async () => {
      // The operator of the day, where there is one: it also plays those who call it.
      const lacking = lackingEach(day?.operator ?? (await operator.load()));
      assert(day !== undefined || lacking.length === 0, 'it has no day');
      if (day === undefined) return;
      const calm = await runWorld({ seed: 1, scenario: operatorScenario(day), faults: [] });
      expect(calm.failure).toBeUndefined();
      const needless: string[] = [];
      for (const { right, operator: without } of isLong ? lacking : lacking.slice(0, 1))
        if ((await missedRight({ ...day, operator: without }, calm.trace)) === undefined)
          needless.push(right);
      expect(needless).toEqual([]);
    },
  );
});
