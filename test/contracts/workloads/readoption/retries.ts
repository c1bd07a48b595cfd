import type { Transport } from '@kubewright/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { admissionSuite, RULE } from '../../../support/admission.ts';
import { applySet, setWhere } from '../stateful.ts';
import { Story } from '../story.ts';
import { fence } from './orphans.ts';

const PODS = { ...RULE, operations: ['CREATE'], resources: ['pods'] };

/** How often a set tries what fails. The exact figures: packages/cluster/src/controllers/statefulset/retries.test.ts */
export function retries(transport: () => Transport): void {
  const shared: Transport = {
    request: (request) => transport().request(request),
    close: () => Promise.resolve(),
  };
  const { register } = admissionSuite(() => ({ transport: () => shared }), 'retries');
  let story: Story;
  beforeEach(async () => {
    story = await Story.begin(transport(), () => false);
  });
  afterEach(() => story.end());

  test('what fails is tried again after 5 ms, then after twice as long each time', async () => {
    const asked: number[] = [];
    let allowed = false;
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': story.namespace } };
    await register('validating', {
      with: { rules: [PODS], namespaceSelector },
      answering() {
        asked.push(performance.now());
        return { allowed };
      },
    });
    await applySet(story, { replicas: 1 });
    await setWhere(story, ({ status }) => status?.observedGeneration === 1);
    await fence(story);
    // Nothing wakes the set any more. One attempt may be due yet that was ordered before it was woken last: what an
    // attempt ordered is the next one, or the one after that.
    const alone = asked.length;
    await expect.poll(() => asked.length, { timeout: 50_000 }).toBeGreaterThanOrEqual(alone + 4);
    // A wait begins with the answer, which the webhook has not given yet: it is never shorter than the controller's.
    for (const failures of [alone, alone + 1]) {
      const wait = (asked[failures + 2] ?? 0) - (asked[failures] ?? 0);
      expect(wait).toBeGreaterThanOrEqual(5 * 2 ** failures);
    }
    allowed = true;
    await expect.poll(() => story.pods(), { timeout: 50_000 }).toHaveLength(1);
  });
}
