import { describe, expect, test } from 'vitest';
import type { ClassRuntime } from '../api.ts';
import { childrenOf, classOf, decidedAt, statusOf } from '../testing/class-bench.ts';
import type { Live } from './observed-class.ts';

const FUNCTIONS = ['a', 'b'];
const OLD = classOf({ functions: FUNCTIONS, image: 'hello:0' });
const BEFORE = childrenOf(OLD);

function classWith(strategy: 'all' | 'sequential'): ClassRuntime {
  const runtime = classOf({ functions: FUNCTIONS, generation: 2 });
  const status = statusOf(OLD, 'applying', 'Applying', 890);
  return { ...runtime, spec: { ...runtime.spec, rollout: { strategy } }, status };
}

/** The first Deployment is updated, and its new pod is there beside the old one. */
function updating(runtime: ClassRuntime): readonly Live[] {
  const [first] = childrenOf(runtime);
  if (first?.kind !== 'Deployment') throw new TypeError('it is a Deployment');
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1 };
  return [{ ...first, status }, ...BEFORE.slice(1)];
}

describe('a rollout', () => {
  test('one after the other: the second function waits until the first is updated', () => {
    const runtime = classWith('sequential');
    const held = decidedAt(900, runtime, updating(runtime));
    expect(held).toMatchObject({ action: '-', reason: 'RollingOut' });
    expect(held.decision.status).toMatchObject({
      rollout: { updated: 1, total: 2, waiting_for: 'Deployment/hello-fn-0' },
      lifecycle: { applied_generation: 1 },
    });
    const { status = {} } = held.decision;
    const [first, ...others] = childrenOf(runtime);
    const done = first === undefined ? [] : [first, ...BEFORE.slice(1)];
    expect(others).not.toEqual(BEFORE.slice(1));
    const next = decidedAt(930, { ...runtime, status }, done);
    expect(next.action).toMatch(/^apply (Service|Deployment)/);
    expect(next.decision.status).not.toHaveProperty('rollout');
  });

  test('all at once: nothing waits', () => {
    const runtime = classWith('all');
    expect(decidedAt(900, runtime, updating(runtime)).action).toMatch(/^apply /);
  });
});
