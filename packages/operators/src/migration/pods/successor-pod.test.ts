import type { corev1 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { EPOCH_ANNOTATION, LABELS, type MigrationStatus, ROLES, type StatefulMigration } from '../api.ts';
import { MIGRATION_UID, migrationOf, type PodFacts, podOf } from '../testing/migration-bench.ts';
import { successorPod } from './successor-pod.ts';
import { isTemplateOf, templateRevision } from './template-revision.ts';

const EARLIER = {
  labels: { [LABELS.migration]: 'earlier', [LABELS.role]: ROLES.restored, tier: 'back' },
  annotations: { [EPOCH_ANNOTATION]: '1', note: 'kept' },
};

const pinnedTo = (node: string): corev1.NodeSelectorTerm => ({
  matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }],
});

function migrationWith(more: Partial<MigrationStatus> = {}): StatefulMigration {
  const handover = { epoch: 3, from: { pod: 'a' }, to: { pod: 'a' }, mirror: 'm', committed: false };
  return migrationOf({}, { handedOver: true, strategy: 'Sequential', handover, ...more });
}

function made(facts: PodFacts, migration: StatefulMigration = migrationWith()) {
  const revision = templateRevision(migration, podOf({ owner: 'nobody', ...facts }));
  return successorPod(revision, migration);
}

function termsOf({ spec }: corev1.Pod) {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

describe('a pod that is made again', () => {
  test('is the source, for this migration and not for the one before', () => {
    const { metadata } = made(EARLIER);
    expect(metadata).toEqual({
      name: 'consumer-0',
      namespace: 'shop',
      labels: {
        app: 'consumer',
        tier: 'back',
        [LABELS.migration]: MIGRATION_UID,
        [LABELS.role]: ROLES.restored,
      },
      annotations: { note: 'kept', [EPOCH_ANNOTATION]: '3' },
    });
  });

  test('has its volumes, names and nodes, waits for the state, and lacks the token and what it was debugged with', () => {
    const data = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
    const token = { name: 'kube-api-access-x7k2p', projected: {} };
    const mounts = [
      { name: 'data', mountPath: '/data' },
      { name: token.name, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ];
    const { spec } = made({
      spec: {
        hostname: 'first',
        subdomain: 'shop',
        nodeSelector: { disk: 'ssd' },
        volumes: [data, token],
        containers: [{ name: 'main', image: 'consumer', volumeMounts: mounts }],
        ephemeralContainers: [{ name: 'debugger', image: 'busybox' }],
      },
    });
    expect(spec).toEqual({
      hostname: 'first',
      subdomain: 'shop',
      nodeSelector: { disk: 'ssd' },
      volumes: [data],
      containers: [
        {
          name: 'main',
          image: 'consumer',
          volumeMounts: [mounts[0]],
          env: [{ name: 'MS2M_RESTORE_MODE', value: 'true' }],
        },
      ],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [pinnedTo('b')] },
        },
      },
    });
  });

  const inZone: corev1.NodeSelectorTerm = {
    matchExpressions: [{ key: 'zone', operator: 'In', values: ['z'] }],
  };
  const affinityWith = (...nodeSelectorTerms: readonly corev1.NodeSelectorTerm[]): PodFacts => ({
    spec: {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    },
  });
  const anywhere = migrationWith({ targetNodeLost: true });

  test.each<readonly [string, PodFacts, readonly corev1.NodeSelectorTerm[] | undefined]>([
    ['nothing', {}, undefined],
    ['an earlier migration to the source node', affinityWith(pinnedTo('a')), undefined],
    ['a zone', affinityWith(inZone), [inZone]],
    ['a zone, and an earlier migration', affinityWith({ ...inZone, ...pinnedTo('a') }), [inZone]],
  ])(
    'may run on any node of its own when the target node is lost: it was bound by %s',
    (_by, facts, terms) => {
      expect(termsOf(made(facts, anywhere))).toEqual(terms);
    },
  );
});

test('a template is of a pod as long as nothing of it changes but what migrations write', () => {
  const pod = podOf({ owner: 'nobody' });
  const revision = templateRevision(migrationWith(), pod);
  expect(isTemplateOf(revision, podOf({ owner: 'nobody', labels: { [LABELS.role]: 'source' } }))).toBe(true);
  expect(isTemplateOf(revision, podOf({ owner: 'nobody', labels: { tier: 'back' } }))).toBe(false);
  expect(isTemplateOf(revision, podOf({ owner: 'nobody', spec: { priority: 1 } }))).toBe(false);
});
