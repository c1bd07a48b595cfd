import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@kubewright/client';
import { Cluster, type ControllerName } from '@kubewright/cluster';
import {
  corev1,
  type JsonObject,
  type KubeObject,
  parseApiVersion,
  storagev1,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { captureParts } from '../../../packages/operators/src/capture/controller.ts';
import { readExport } from '../../../packages/operators/src/capture/export/read-export.ts';
import { admissionChecks } from '../../../packages/operators/src/capture/testing/admission-checks.ts';
import { runCommand } from '../../../packages/operators/src/capture/testing/run-command.ts';
import { parseDocuments } from '../../../packages/operators/src/kit/read-documents.ts';
import { useOperator } from '../../../packages/operators/src/kit/testing/use-operator.ts';
import { useFolder } from '../../support/use-folder.ts';
import { APPLICATIONS_PLAYED } from './applications.ts';
import { differences, NOT_EXPLAINED } from './differences.ts';
import { FOREIGN_KINDS } from './foreign-kinds.ts';
import { startForeignControllers } from './start-foreign-controllers.ts';
import { whatUsersSee } from './what-users-see.ts';

/** What runs in each cluster. */
export const APPLICATION_CONTROLLERS: readonly ControllerName[] = [
  'cronjob-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'statefulset-controller',
];

const OFTEN = { interval: 100 };
const HERE = fileURLToPath(new URL('./', import.meta.url));
/** The class of the volumes in the first cluster; the fresh one has `standard` alone. */
const STORAGE_CLASS = 'gp3';

type Options = Readonly<Record<string, string>>;

/** Applications as people have them: captured, deleted, and restored in another namespace and into a fresh cluster. */
export function captureApplicationsContract(transport: () => Transport): void {
  const capture = useOperator(transport, captureParts, { anyKind: { apiGroups: ['*'], resources: ['*'] } });
  const folder = useFolder();
  const stops: (() => Promise<void>)[] = [];
  let fresh: Cluster | undefined;

  const restore = (to: Transport, at: string, options: Options): Promise<string> =>
    runCommand({ admin: createClient(to), namespace: 'default' }, to, ['restore', at], options);

  beforeAll(async () => {
    const started = await Cluster.start({
      nodes: 2,
      scheduler: true,
      storage: true,
      controllers: APPLICATION_CONTROLLERS,
      rootCa: 'the authority of this cluster',
      autoscaler: { syncPeriodMs: 1000 },
      server: { serviceAccounts: { admission: true } },
    });
    fresh = started;
    for (const name of started.nodes.names)
      await createClient(started.transport()).patch(
        corev1.nodes,
        { name },
        { type: 'merge', body: { spec: { taints: null } } },
      );
    stops.push(() => started.stop());
    await admissionChecks(capture);
    for (const way of [transport(), started.transport()]) {
      const client = createClient(way);
      await installDefinitions(
        client,
        FOREIGN_KINDS.map(({ definition }) => definition),
        { fieldManager: 'test' },
      );
      stops.push(await startForeignControllers(way));
    }
    const standard = await capture.admin.get(storagev1.storageclasses, { name: 'standard' });
    await capture.admin.create<KubeObject>(storagev1.storageclasses, {
      ...standard,
      metadata: { name: STORAGE_CLASS },
    });
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  describe.each(APPLICATIONS_PLAYED)('CAP-232 the application $name', ({ name, works, inCopy, inFresh }) => {
    const copy = `${name}-copy`;
    const at = join(folder, name);
    let before: readonly string[] = [];

    test('is captured, deleted, and restored in another namespace, where it works', async () => {
      const { admin } = capture;
      await applyAll(admin, name);
      before = await seen({ admin, namespace: name }, works);
      await settled(admin, name);
      await captureTo(name, at);
      await deleteNamespace(admin, name);
      const plan = await restore(transport(), at, { to: copy, yes: 'true' });
      await seen({ admin, namespace: copy }, changed(before, inCopy));
      await expect(await goldenOf(admin, { at, to: copy, plan })).toMatchFileSnapshot(
        golden(`${name}.copy.txt`),
      );
    });

    test('is restored into a fresh cluster, where it works', async () => {
      assert(fresh !== undefined, 'the cluster is there only while tests run');
      const way = fresh.transport();
      const admin = createClient(way);
      const options = { storageClass: `${STORAGE_CLASS}=standard` };
      // A dry run has no last line that counts.
      const plan = `${await restore(way, at, { ...options, dryRun: 'server' })}\n`;
      // Whoever set up the cluster brings what is of the cluster.
      await applyAll(admin, name, ({ kind }) => OF_THE_CLUSTER.includes(kind));
      await restore(way, at, { ...options, yes: 'true' });
      await seen({ admin, namespace: name }, changed(before, inFresh));
      await expect(await goldenOf(admin, { at, to: name, plan })).toMatchFileSnapshot(
        golden(`${name}.fresh.txt`),
      );
    });
  });

  const captureTo = async (namespace: string, at: string): Promise<void> => {
    const run = (...line: string[]) => runCommand(capture, transport(), line);
    const printed = await run('namespace', namespace);
    await run('export', /nss-mcp-\w+/.exec(printed)?.[0] ?? expect.fail(printed), at);
  };
}

const OF_THE_CLUSTER = ['PriorityClass', 'ClusterRole', 'ClusterRoleBinding'];

/** Applies the manifests of an application, in its namespace. */
async function applyAll(
  admin: Client,
  name: string,
  isMeant: (object: KubeObject) => boolean = () => true,
): Promise<void> {
  const text = readFileSync(join(HERE, 'manifests', `${name}.yaml`), 'utf8');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const objects = [namespace, ...(parseDocuments(text, name) as unknown as KubeObject[])];
  for (const object of objects.filter(isMeant)) {
    const ref = await admin.mapper.resolve({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    const metadata = { ...object.metadata, ...(ref.namespaced && { namespace: name }) };
    await admin.apply(ref, { ...object, metadata }, { fieldManager: 'kubectl', force: true });
  }
}

/** Resolves with what users see once it is that; keys of authorities are not compared where none is expected. */
async function seen(
  place: { readonly admin: Client; readonly namespace: string },
  expected: readonly string[],
): Promise<readonly string[]> {
  let now: readonly string[] = [];
  const isAnyKey = expected.some((line) => line.endsWith('…'));
  const look = async (): Promise<readonly string[]> => {
    now = await whatUsersSee(place);
    return isAnyKey ? now.map((line) => line.replace(/[\da-f]{8}-[-\da-f]{27}$/, '…')) : now;
  };
  await expect.poll(look, OFTEN).toEqual(expected.toSorted());
  return now;
}

/** What each namespace has is made a moment later, and a capture lists it as left out. */
async function settled(admin: Client, namespace: string): Promise<void> {
  const isThere = (live: unknown): boolean => live !== undefined;
  await waitForObject(admin, corev1.configmaps, { namespace, name: 'kube-root-ca.crt' }, isThere);
  await waitForObject(admin, corev1.serviceaccounts, { namespace, name: 'default' }, isThere);
}

function changed(lines: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}) {
  return lines.flatMap((line) => (line in changes ? (changes[line] ?? []) : line));
}

async function deleteNamespace(admin: Client, name: string): Promise<void> {
  await admin.delete(corev1.namespaces, { name });
  await waitForObject(admin, corev1.namespaces, { name }, (live) => live === undefined, {
    timeoutMs: 90_000,
  });
}

function golden(name: string): string {
  return join(HERE, 'goldens', name);
}

type Restored = { readonly at: string; readonly to: string; readonly plan: string };

/** The plan, and what has become otherwise, as its readers see it. */
async function goldenOf(admin: Client, { at, to, plan }: Restored): Promise<string> {
  const objects: JsonObject[] = [];
  for await (const object of readExport(at)) objects.push(object);
  const lines = await differences(admin, objects, to, plan);
  expect(lines.filter((line) => line.endsWith(NOT_EXPLAINED))).toEqual([]);
  // The last line counts what was there already, which is the default ServiceAccount, or not yet.
  const rows = plan.split('\n').slice(0, -2);
  return [...rows, '', 'FIELDS THAT DIFFER', ...lines, ''].join('\n');
}
