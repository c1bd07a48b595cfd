import { describe, expect, test } from 'vitest';
import { summaryOfClass } from '../deployments/summary-of-class.ts';
import { childrenOf, classOf, conditionsIn, decidedAt, statusOf } from '../testing/class-bench.ts';

const HELLO = classOf();
const UNREADY = childrenOf(HELLO, { hello: 0 });

describe('CRT-D42 a class that cannot be rendered', () => {
  const bad = { ...HELLO, spec: { ...HELLO.spec, functions: [{ function_key: 'main' }] } };

  test('and has no objects serves nothing', () => {
    const told = decidedAt(1, { ...bad, status: { phase: 'pending' } });
    expect(told).toMatchObject({ phase: 'degraded', reason: 'ApplyInvalid' });
    expect(conditionsIn(told)).toMatchObject({ Serving: 'False/NoEndpoints' });
    const status = told.decision.status ?? {};
    expect(summaryOfClass({ ...bad, status })).toMatchObject({ status: { condition: 'DOWN' } });
  });

  test('and has what it was before goes on serving', () => {
    const status = statusOf(HELLO, 'available', 'Ready', 0);
    const serving = (live: typeof UNREADY) => conditionsIn(decidedAt(9, { ...bad, status }, live))['Serving'];
    expect(serving(childrenOf(HELLO))).toBe('True/Serving');
    expect(serving(UNREADY)).toBe('False/NoEndpoints');
  });
});
