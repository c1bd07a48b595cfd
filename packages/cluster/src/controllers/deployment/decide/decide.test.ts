import type { appsv1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { DESIRED_REPLICAS, MAX_REPLICAS, REVISION } from '../constants.ts';
import type { Observed } from '../observe.ts';
import { decide } from './decide.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const labels = { app: 'web' };
const templateOf = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'web', image }] },
});

function deploymentOf(
  spec: Partial<appsv1.DeploymentSpec>,
  metadata: Partial<Stored<appsv1.Deployment>['metadata']> = {},
): Stored<appsv1.Deployment> {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'ns', uid: 'd', resourceVersion: '1', generation: 1, ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: templateOf('web:1'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      ...spec,
    },
  };
}

/** A ReplicaSet whose pods are all available. */
function setOf(
  image: string,
  replicas: number,
  annotations: Readonly<Record<string, string>> = {},
): Stored<appsv1.ReplicaSet> {
  const sizes = { [DESIRED_REPLICAS]: '2', [MAX_REPLICAS]: '3', [REVISION]: '1' };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      resourceVersion: '1',
      name: image.replace(':', '-'),
      namespace: 'ns',
      uid: image,
      annotations: { ...sizes, ...annotations },
    },
    spec: { replicas, selector: { matchLabels: labels }, template: templateOf(image) },
    status: { replicas, readyReplicas: replicas, availableReplicas: replicas },
  };
}

const handedDown = { annotations: { team: 'blue' } };
const recreate = { type: 'Recreate' } as const;

type Row = readonly [
  string,
  Stored<appsv1.Deployment>,
  readonly Stored<appsv1.ReplicaSet>[],
  string,
  readonly string[],
];

test.each<Row>([
  ['a new one', deploymentOf({}), [], 'Creating', ['create 2']],
  ['one that is rolled out', deploymentOf({}), [setOf('web:1', 2)], 'Progressing', []],
  ['one that is too small', deploymentOf({}), [setOf('web:1', 1)], 'ScalingUp', ['scale web-1 2']],
  ['another size', deploymentOf({ replicas: 5 }), [setOf('web:1', 2)], 'Scaling', ['scale web-1 5']],
  [
    'another template',
    deploymentOf({ template: templateOf('web:2') }),
    [setOf('web:1', 2)],
    'Creating',
    ['create 1'],
  ],
  [
    'an old pod that may go',
    deploymentOf({ template: templateOf('web:2') }),
    [setOf('web:1', 2), setOf('web:2', 1, { [REVISION]: '2' })],
    'ScalingDown',
    ['scale web-1 1'],
  ],
  [
    'Recreate: old pods go first',
    deploymentOf({ strategy: recreate, template: templateOf('web:2') }),
    [setOf('web:1', 2)],
    'ScalingDown',
    ['scale web-1 0'],
  ],
  [
    'a paused one',
    deploymentOf({ paused: true, template: templateOf('web:2') }),
    [setOf('web:1', 2)],
    'Paused',
    [],
  ],
  [
    'one that is to end',
    deploymentOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    [setOf('web:1', 1)],
    'Deleting',
    [],
  ],
  ['one that selects all', deploymentOf({ selector: {} }), [setOf('web:1', 1)], 'SelectingAll', []],
  [
    'annotations to hand down',
    deploymentOf({}, handedDown),
    [setOf('web:1', 2)],
    'Progressing',
    ['update web-1 2'],
  ],
  [
    'annotations that go with a size',
    deploymentOf({}, handedDown),
    [setOf('web:1', 1)],
    'ScalingUp',
    ['scale web-1 2'],
  ],
  [
    'annotations beside an old pod that may go',
    deploymentOf({ template: templateOf('web:2') }, handedDown),
    [setOf('web:1', 2), setOf('web:2', 1, { [REVISION]: '2' })],
    'ScalingDown',
    ['update web-2 1', 'scale web-1 1'],
  ],
  [
    'annotations that tell of another size than it has',
    deploymentOf({}),
    [setOf('web:1', 2, { [DESIRED_REPLICAS]: '4', [MAX_REPLICAS]: '5' })],
    'Progressing',
    ['update web-1 2'],
  ],
  [
    'annotations that tell of no size',
    deploymentOf({}),
    [setOf('web:1', 2, { [DESIRED_REPLICAS]: 'changed' })],
    'Progressing',
    ['update web-1 2'],
  ],
  [
    'another template, where annotations tell of another size',
    deploymentOf({ template: templateOf('web:2') }),
    [setOf('web:1', 2, { [DESIRED_REPLICAS]: '4', [MAX_REPLICAS]: '5' })],
    'Creating',
    ['create 1'],
  ],
])('%s', (_title, deployment, replicaSets, reason, expected) => {
  const decision = decide(observed(deployment, replicaSets), NOW);
  const actions = decision.actions.map(({ type, replicaSet: { metadata, spec } }) =>
    type === 'create' ? `create ${spec.replicas}` : `${type} ${metadata.name} ${spec.replicas}`,
  );
  expect([decision.reason, actions]).toEqual([reason, expected]);
});

test('what a webhook undid is written later; the status is written all the same', () => {
  const decision = decide(observed(deploymentOf({}, handedDown), [setOf('web:1', 2)], 8000), NOW);
  expect(decision).toMatchObject({
    actions: [],
    requeueAfter: 8000,
    write: { status: { updatedReplicas: 2 } },
  });
});

test('a revision is reported when the ReplicaSet has it', () => {
  const [{ metadata, ...set }] = [setOf('web:1', 2)];
  const unnamed = { ...set, metadata: { ...metadata, annotations: {} } };
  expect(decide(observed(deploymentOf({}), [unnamed]), NOW).write?.revision).toBeUndefined();
  expect(decide(observed(deploymentOf({}), [setOf('web:1', 2)]), NOW).write?.revision).toBe('1');
});

function observed(
  deployment: Stored<appsv1.Deployment>,
  replicaSets: readonly Stored<appsv1.ReplicaSet>[],
  wait = 0,
): Observed {
  return { deployment, replicaSets, podsOf: () => [], renewalWait: () => wait };
}
