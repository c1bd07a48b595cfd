import { expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { classOf, timeAt } from '../testing/class-bench.ts';
import { summaryOfClass } from './summary-of-class.ts';

const withConditions = (conditions: Readonly<Record<string, string>>): ClassRuntime => ({
  ...classOf(),
  status: {
    phase: 'degraded',
    conditions: Object.entries(conditions).map(([type, text]) => {
      const [status = 'Unknown', reason = ''] = text.split('/');
      return { type, status: status as 'True', reason, message: 'why', lastTransitionTime: timeAt(0) };
    }),
  },
});

test.each([
  [{ Available: 'True/Ready' }, 'RUNNING', 'PHASE_RUNNING', 'Available'],
  [{ Progressing: 'True/Applying' }, 'DEPLOYING', 'RESOURCE_PROVISIONING', 'Progressing'],
  [
    { Degraded: 'True/CrashLoop', Serving: 'True/Serving' },
    'RUNNING',
    'PHASE_RUNNING',
    'Degraded (CrashLoop): why',
  ],
  [
    { Degraded: 'True/CrashLoop', Serving: 'False/NoEndpoints' },
    'DOWN',
    'FAILED',
    'Degraded (CrashLoop): why',
  ],
])('CRT-T17 %o is %s', (conditions, condition, phase, message) => {
  expect(summaryOfClass(withConditions(conditions))).toMatchObject({ status: { condition, phase, message } });
});

test('CRT-T17 a class that is being deleted, and one that nobody has looked at yet', () => {
  const deleted = classOf({ deletedAt: timeAt(0) });
  expect(summaryOfClass(deleted)).toMatchObject({ status: { condition: 'DELETED', message: 'deleting' } });
  expect(summaryOfClass(classOf())).toMatchObject({ status: { condition: 'PENDING', message: 'Pending' } });
});
