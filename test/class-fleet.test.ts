import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { appsv1, type Stored } from '@kubewright/kube';
import { CLASS_RUNTIMES, classesParts } from '@kubewright/operators';
import {
  createManager,
  installDefinitions,
  type Manager,
  silentLogger,
  waitForObject,
  watchKind,
} from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { isLong } from './support/seeds.ts';

const CLASSES = isLong ? 500 : 20;
const FUNCTIONS = 3;
const NAMESPACE = 'default';

test(`CRT-T21 ${CLASSES} classes of ${FUNCTIONS} functions: nothing is written at rest or after a restart, and one flip costs one class's decisions`, async () => {
  const server = createApiServer();
  const admin = createClient(server.transport());
  await installDefinitions(admin, [CLASS_RUNTIMES.definition], { fieldManager: 'test' });
  const rollouts = await running(createManager({ client: admin, log: silentLogger }), addRollouts);
  const first = await running(createManager({ client: admin, log: silentLogger }), addClasses);
  for (let index = 0; index < CLASSES; index++) await admin.create(CLASS_RUNTIMES, classOf(`c${index}`));
  const available = async (): Promise<number> => {
    const { items } = await admin.list(CLASS_RUNTIMES, { namespace: NAMESPACE });
    return items.filter((item) => item.status?.phase === 'available').length;
  };
  await expect.poll(available).toBe(CLASSES);
  await first.rest();
  await rollouts.rest();
  await first.stop();

  const recording = server.recordRequests();
  const writes = (): readonly string[] =>
    recording.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
  const second = await running(createManager({ client: admin, log: silentLogger }), addClasses);
  // Each is looked at once, and nothing is written.
  await expect.poll(() => second.decisions()).toBe(CLASSES);
  await second.rest();
  expect(writes()).toEqual([]);

  await rollouts.stop();
  const flipped = { namespace: NAMESPACE, name: 'c7-fn-1' };
  const status = { readyReplicas: 0, availableReplicas: 0 };
  await admin.patch(
    appsv1.deployments,
    flipped,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  await waitForObject(
    admin,
    CLASS_RUNTIMES,
    { namespace: NAMESPACE, name: 'c7' },
    (live) => live?.status?.lifecycle?.unready_since !== undefined,
  );
  await second.rest();
  // Its status, and a look that finds nothing more to do.
  expect(await second.decisions()).toBeLessThanOrEqual(CLASSES + 2);
  const [own, ...others] = writes();
  expect(own).toMatch(/^PATCH .*\/deployments\/c7-fn-1\/status/);
  expect(others).toHaveLength(1);
  expect(others[0]).toMatch(/^PATCH .*\/classruntimes\/c7\/status/);
  await second.stop();
  await server.close();
});

/** Runs a manager until it is stopped. */
async function running(manager: Manager, add: (manager: Manager) => void) {
  add(manager);
  const stop = new AbortController();
  const ended = manager.start(stop.signal);
  await manager.cache.waitForSync(stop.signal);
  return {
    rest: () => expect.poll(() => manager.idle()).toBe(true),
    async decisions(): Promise<number> {
      const metric = await manager.registry.getSingleMetric('kubewright_decisions_total')?.get();
      return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
    },
    async stop(): Promise<void> {
      stop.abort();
      await ended;
    },
  };
}

function addClasses(manager: Manager): void {
  for (const part of classesParts.parts) part.add(manager, {});
}

/** Deployments whose pods are available at once. */
function addRollouts(manager: Manager): void {
  manager.addController({
    name: 'rollouts',
    reconciler: {
      async reconcile(request) {
        const live = manager.cache.get(appsv1.deployments, request);
        if (live === undefined || live.status?.observedGeneration === live.metadata.generation) return {};
        const patch = { type: 'merge', body: rolledOut(live) } as const;
        await manager.client.patch(appsv1.deployments, request, patch, { subresource: 'status' });
        return {};
      },
    },
    sources: [watchKind(appsv1.deployments)],
  });
}

function rolledOut({ metadata, spec }: Stored<appsv1.Deployment>) {
  const { replicas = 1 } = spec ?? {};
  const counts = {
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  };
  return { status: { observedGeneration: metadata.generation ?? 1, ...counts } };
}

function classOf(name: string) {
  return {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: { namespace: NAMESPACE, name },
    spec: {
      addons: [],
      functions: Array.from({ length: FUNCTIONS }, (_, each) => ({
        function_key: `f${each}`,
        provision_config: { container_image: 'function:1' },
      })),
    },
  };
}
