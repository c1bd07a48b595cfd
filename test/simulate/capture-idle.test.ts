import { runWorld, type ScenarioContext } from '@kubewright/cluster';
import { corev1 } from '@kubewright/kube';
import { captureParts, OBJECT_KEEPERS } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { isLong } from '../support/seeds.ts';
import { operatorScenario } from './operator-scenario.ts';

/** `npm run test:long` has as many as are asked of an idle cluster. */
const KEEPERS = isLong ? 1000 : 100;
const NAMESPACE = 'default';
const MINUTES = 10;

/** Each follows an object of a kind that is polled: every minute, each is read once. */
async function prepare({ client }: ScenarioContext): Promise<void> {
  const { metadata } = await client.create(corev1.configmaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: NAMESPACE, name: 'followed' },
  });
  const { name, uid } = metadata;
  const followObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name, uid };
  for (let index = 0; index < KEEPERS; index++)
    await client.create(OBJECT_KEEPERS, {
      apiVersion: 'deckhouse.io/v1alpha1',
      kind: 'ObjectKeeper',
      metadata: { name: `idle-${index}` },
      spec: { mode: 'FollowObject', followObjectRef },
    });
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  const { items } = await client.list(OBJECT_KEEPERS);
  const idle = items.filter(({ status }) => status?.phase === 'Tracking').length;
  return idle === KEEPERS ? undefined : `${idle} of ${KEEPERS} keepers track`;
}

test(`CAP-108 CAP-D18 ${KEEPERS} keepers at rest write nothing in ${MINUTES} minutes`, async () => {
  const scenario = operatorScenario({
    name: 'capture-idle',
    operator: captureParts,
    anyKind: { apiGroups: [''], resources: ['configmaps'] },
    replicas: 1,
    observed: [['deckhouse.io', 'objectkeepers']],
    prepare,
    missing,
    invariants: {},
    faults: () => [],
    stableFor: MINUTES * 60_000,
  });
  const { failure, trace, history } = await runWorld({ seed: 1, scenario, faults: [] });
  expect(failure).toBeUndefined();
  // The one write of each that says that it tracks.
  expect(history.all.filter(({ type }) => type === 'MODIFIED')).toHaveLength(KEEPERS);
  const reads = trace.filter((line) => / operator #\d+ GET \S+\/configmaps\/followed /.test(line));
  expect(reads.length).toBeGreaterThan(KEEPERS * (MINUTES - 1));
});
