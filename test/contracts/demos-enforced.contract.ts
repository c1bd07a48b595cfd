import assert from 'node:assert/strict';
import { servePrometheus, type ServedPrometheus } from '@kubewright/cluster';
import { type Client, createClient, keyOf, withImpersonation } from '@kubewright/client';
import {
  appsv1,
  corev1,
  isConditionTrue,
  type KubeObject,
  ownerReferenceTo,
  rbacv1,
  type Transport,
} from '@kubewright/kube';
import {
  anyKindRoles,
  MANAGER,
  MANIFEST_CAPTURE_REQUESTS,
  NAMESPACE,
  OPERATORS,
} from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CONTENT_CHUNKS } from '../../packages/operators/src/capture/api/content-chunk.ts';
import { CLASS_RUNTIMES } from '../../packages/operators/src/classes/api.ts';
import { ANNOTATIONS, KAUSALITIES, type Kausality } from '../../packages/operators/src/drift/api.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';
import { COMPOSITIONS, RESOURCE_SLICES } from '../../packages/operators/src/ownership/api.ts';
import { coverageOfCount } from '../../packages/operators/src/drift/learning/coverage-of.ts';
import { createPolicy } from '../../packages/operators/src/drift/testing/drift-stage.ts';
import { accountUser, binding } from '../../packages/operators/src/kit/install-objects.ts';
import { playDemo } from '../../packages/kubewright/src/run/play-demos.ts';
import { runOperators, type RunningOperators } from '../../packages/kubewright/src/run/run-operators.ts';
import { withDemoSettings } from '../../packages/kubewright/src/run/with-demo-settings.ts';
import { withPrometheus } from '../../packages/kubewright/src/run/with-prometheus.ts';
import type { Terminal } from '../../packages/kubewright/src/terminal.ts';

const POLICY = 'all-that-operators-write';
const GROUPS = [
  CLASS_RUNTIMES.group,
  'ms2m.io',
  'eno.azure.io',
  'storage-foundation.deckhouse.io',
  'state-snapshotter.deckhouse.io',
  'deckhouse.io',
];
const RESOURCES = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'secrets', 'services', 'persistentvolumeclaims', 'persistentvolumes', 'pods'],
  },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'replicasets'] },
  { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotcontents'] },
  ...GROUPS.map((group) => ({ apiGroups: [group], resources: ['*'] })),
];

/** On which three operators act. */
const FRONT = { namespace: 'together', name: 'front' };
const PATIENT = { timeoutMs: 60_000 };
const PATIENT_POLL = { timeout: 60_000, interval: 250 };

/** A class makes the Deployment, and a manifest asks for a label and a field of it. */
async function createShared(admin: Client): Promise<void> {
  const { namespace } = FRONT;
  await admin.create<KubeObject>(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  await admin.create(CLASS_RUNTIMES, {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: FRONT,
    spec: {
      addons: [],
      functions: [{ function_key: 'f', provision_config: { container_image: 'registry.example/front:1' } }],
    },
  });
  await waitForObject(admin, appsv1.deployments, FRONT, (live) => live !== undefined, PATIENT);
  const manifest = JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...FRONT, labels: { team: 'shop' } },
    spec: { minReadySeconds: 1 },
  });
  const apiVersion = 'eno.azure.io/v1';
  const metadata = { namespace, name: 'teams' };
  const composition = await admin.create<KubeObject>(COMPOSITIONS, {
    apiVersion,
    kind: 'Composition',
    metadata,
    spec: {},
  });
  const ownerReferences = [ownerReferenceTo(composition, { controller: true })];
  await admin.create<KubeObject>(RESOURCE_SLICES, {
    apiVersion,
    kind: 'ResourceSlice',
    metadata: { ...metadata, ownerReferences },
    spec: { resources: [{ manifest }] },
  });
}

const captureOf = (name: string): KubeObject => ({
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: { namespace: FRONT.namespace, name },
  spec: {
    targets: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: FRONT.name },
      { apiVersion: 'v1', kind: 'Service', name: FRONT.name },
    ],
  },
});

/** Bound at once: on the real control plane no controller runs that aggregates roles. */
async function bindObjects(admin: Client): Promise<void> {
  const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
  const parts = loaded.flatMap((operator) => operator.parts.map((part) => ({ ...operator, parts: [part] })));
  const roles = parts.flatMap((one) =>
    anyKindRoles([one], { apiGroups: ['*'], resources: ['*'] }).map(({ metadata: { name = '' } }) =>
      binding(name, [one.parts[0]?.account ?? '', MANAGER], NAMESPACE),
    ),
  );
  for (const role of roles)
    await admin.apply(rbacv1.clusterrolebindings, role as never, { fieldManager: 'test', force: true });
}

/** All operators in one manager, where drift of everything that they write is denied. */
export function demosEnforcedContract(transport: () => Transport): void {
  describe('all operators where drift is denied', () => {
    const stop = new AbortController();
    let running: RunningOperators | undefined;
    let prometheus: ServedPrometheus | undefined;
    let terminal: Terminal | undefined;
    const way = (): Transport => transport();

    beforeAll(async () => {
      prometheus = await servePrometheus(way());
      const bare: Terminal = {
        out: () => undefined,
        err: () => undefined,
        colour: false,
        env: {},
        cwd: process.cwd(),
        signal: stop.signal,
      };
      terminal = withPrometheus(withDemoSettings(bare, OPERATORS), prometheus.url);
      const connect = ({ username: user, groups = [] }: { username: string; groups?: readonly string[] }) =>
        withImpersonation(way(), { user, groups });
      running = await runOperators(
        { operators: OPERATORS, bare: way(), connect, logLevel: 'warn' },
        terminal,
      );
      const admin = createClient(way());
      await bindObjects(admin);
      await createPolicy(admin, POLICY, { mode: 'enforce', resources: RESOURCES });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // A server may call a webhook a moment after it is configured.
          const metadata = { namespace: 'default', name: `probe-${(tries += 1)}` };
          const alice = createClient(withImpersonation(way(), { user: 'alice', groups: ['system:masters'] }));
          const probe = await alice.create(corev1.configmaps, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata,
          });
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
        },
        { timeout: 30_000 },
      );
    });
    afterAll(async () => {
      await createClient(way()).delete(KAUSALITIES, { name: POLICY });
      stop.abort();
      await running?.ended;
      await prometheus?.close();
    });

    const alarms = async (): Promise<readonly string[]> => {
      const { items } = await createClient(way()).list(corev1.events);
      return items.flatMap(({ reason, message = '', metadata }) =>
        reason === 'DriftDetected' && metadata.namespace !== 'demo-drift' ? [message] : [],
      );
    };

    const playable = OPERATORS.filter(({ demo }) => demo !== undefined);
    test.each(playable.map((operator) => [operator.name, operator] as const))(
      'DRF-171 the demo of %s goes as it does without drift, and nothing of it is drift',
      async (name, operator) => {
        assert(terminal !== undefined);
        await playDemo(operator, way(), terminal);
        expect(await alarms(), name).toEqual([]);
      },
    );
    test('DRF-174 a Deployment that a class makes is given fields by a manifest and is captured, and nothing of it is drift', async () => {
      const admin = createClient(way());
      await createShared(admin);
      const shared = await waitForObject(
        admin,
        appsv1.deployments,
        FRONT,
        (live) => live?.metadata.labels?.['team'] === 'shop' && live.spec?.minReadySeconds === 1,
        PATIENT,
      );
      expect(shared?.metadata.ownerReferences?.map(({ kind }) => kind)).toContain(CLASS_RUNTIMES.kind);
      await waitForObject(
        admin,
        CLASS_RUNTIMES,
        FRONT,
        (live) => live?.status?.phase === 'available',
        PATIENT,
      );
      await admin.create<KubeObject>(MANIFEST_CAPTURE_REQUESTS, captureOf('all'));
      await waitForObject(
        admin,
        MANIFEST_CAPTURE_REQUESTS,
        { namespace: FRONT.namespace, name: 'all' },
        (live) => isConditionTrue(live?.status?.conditions, 'Ready'),
        PATIENT,
      );
      expect(await alarms()).toEqual([]);
    });

    test('DRF-175 a chunk of a checkpoint is not deleted, nor a slice changed, by the operator of its own accord', async () => {
      const admin = createClient(way());
      const by = (account: string): Client => {
        const { username: user } = accountUser(account);
        return createClient(withImpersonation(way(), { user, groups: ['system:masters'] }));
      };
      const { items } = await admin.list(CONTENT_CHUNKS);
      const chunk = items.find(({ metadata }) => metadata.ownerReferences !== undefined);
      assert(chunk !== undefined);
      await waitForObject(
        admin,
        COMPOSITIONS,
        { namespace: FRONT.namespace, name: 'teams' },
        (live) => live?.status?.currentSynthesis?.reconciled !== undefined,
        PATIENT,
      );
      // A dry run: a cache may not show yet that the parent is done.
      await denied(() => by('capture-manifests').delete(CONTENT_CHUNKS, keyOf(chunk), { dryRun: true }));
      const body = { spec: { resources: [] } };
      const slice = { namespace: FRONT.namespace, name: 'teams' };
      await denied(() =>
        by('ownership').patch(RESOURCE_SLICES, slice, { type: 'merge', body }, { dryRun: true }),
      );
    });

    test('DRF-171 the policy has counted what operators wrote, and in the demo of drift something was denied', async () => {
      const admin = createClient(way());
      const counted = (live: Kausality | undefined): boolean =>
        live?.status?.kinds?.some(({ kind }) => kind === CLASS_RUNTIMES.kind) === true;
      const policy = await waitForObject(admin, KAUSALITIES, { name: POLICY }, counted);
      expect(policy?.status?.alarms).toMatch(/^0 of [1-9]\d* writes$/);
      const { items } = await admin.list(corev1.events, { namespace: 'demo-drift' });
      expect(items.map(({ reason }) => reason)).toContain('DriftDetected');
      const learning = (policy?.status?.kinds ?? []).flatMap((count) => {
        const { state, why } = coverageOfCount(count, new Date());
        return GROUPS.includes(count.group) && state !== 'covered' ? [`${count.kind}: ${why}`] : [];
      });
      expect(learning).toEqual([]);
    });
  });
}

const denied = (write: () => Promise<unknown>): Promise<void> =>
  vi.waitFor(() => expect(write()).rejects.toThrow(/drift detected/), PATIENT_POLL);
