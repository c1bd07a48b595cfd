import { createClient, ignoreNotFound, isConflict, sleep, withRetry } from '@kubewright/client';
import type { Component, Director, History, Scenario } from '@kubewright/cluster';
import { appsv1, corev1, isConditionTrue, type KubeObject, type Stored } from '@kubewright/kube';
import {
  addClasses,
  CLASS_RUNTIMES,
  type ClassRuntime,
  classesParts,
  type ClassSteps,
} from '@kubewright/operators';
import { createManager, type Reconciler, silentLogger, watchKind } from '@kubewright/runtime';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { tamperedControllers } from './tampered-controllers.ts';

const NAMESPACE = 'default';
const SHOP = { namespace: NAMESPACE, name: 'shop' };
const BRIEF = { namespace: NAMESPACE, name: 'brief' };
/** Calls that the operator makes until all is as it has to be, about. */
const CALLS = 60;

/** What Deployments' controllers and nodes do, as far as classes look at it. */
const rollouts: Component = {
  name: 'rollouts',
  async start({ transport, clock, random, signal }) {
    const client = createClient(withRetry(transport, { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    const { cache } = manager;
    /** Looks again in any case: a write that somebody's webhook undoes brings no event. */
    const settled = async (write: Promise<unknown>): Promise<{ requeueAfter: number }> => {
      await ignoreNotFound(write).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
      return { requeueAfter: 1000 };
    };
    const release = ({ metadata: { resourceVersion } }: Stored) =>
      ({ type: 'merge', body: { metadata: { resourceVersion, finalizers: [] } } }) as const;
    const deployments: Reconciler = {
      async reconcile(request) {
        const live = cache.get(appsv1.deployments, request);
        if (live === undefined) return {};
        const { generation, resourceVersion, deletionTimestamp } = live.metadata;
        if (deletionTimestamp !== undefined)
          return settled(client.patch(appsv1.deployments, request, release(live)));
        if (live.status?.observedGeneration === generation) return {};
        const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
        const body = {
          metadata: { resourceVersion },
          status: { observedGeneration: generation ?? 0, ...counts },
        };
        return settled(
          client.patch(appsv1.deployments, request, { type: 'merge', body }, { subresource: 'status' }),
        );
      },
    };
    const services: Reconciler = {
      async reconcile(request) {
        const live = cache.get(corev1.services, request);
        if (live?.metadata.deletionTimestamp === undefined) return {};
        return settled(client.patch(corev1.services, request, release(live)));
      },
    };
    manager.addController({
      name: 'deployments',
      reconciler: deployments,
      sources: [watchKind(appsv1.deployments)],
    });
    manager.addController({ name: 'services', reconciler: services, sources: [watchKind(corev1.services)] });
    await manager.start(signal);
  },
};

/** What one of two operators makes for a class that the other has let go has no owner any more. */
const collector = tamperedControllers((transport) => transport, {
  controllers: ['garbage-collector-controller'],
});

const write = ({ client }: Director, key: typeof SHOP, images: readonly string[]): Promise<ClassRuntime> =>
  client.apply(
    CLASS_RUNTIMES,
    {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: key,
      spec: {
        addons: ['odgm'],
        functions: images.map((container_image, index) => ({
          function_key: `f${index}`,
          provision_config: { container_image },
        })),
      },
    },
    { fieldManager: 'user', force: true },
  );

/** A class that grows, changes and shrinks, and one that lasts for moments. */
async function script(director: Director): Promise<void> {
  const { client, clock, random } = director;
  const pause = (): Promise<void> => sleep(clock, random.below(4000));
  await write(director, SHOP, ['a:1', 'b:1']);
  await write(director, BRIEF, ['c:1']);
  await pause();
  await write(director, SHOP, ['a:2', 'b:1']);
  await pause();
  await client.delete(CLASS_RUNTIMES, BRIEF);
  await pause();
  await write(director, SHOP, ['a:2']);
}

/** Somebody deletes a Deployment. */
async function rival({ client }: Director): Promise<void> {
  await ignoreNotFound(client.delete(appsv1.deployments, { namespace: NAMESPACE, name: 'shop-odgm' }));
}

const WANTED = 'Deployment/shop Deployment/shop-odgm Service/shop Service/shop-odgm-svc';

async function missing({ client }: Director): Promise<string | undefined> {
  const shop = await client.get(CLASS_RUNTIMES, SHOP);
  const { phase = 'none', observed_generation } = shop.status ?? {};
  if (phase !== 'available' || observed_generation !== shop.metadata.generation)
    return `the class is ${phase}`;
  const found = [
    ...(await client.list(appsv1.deployments, { namespace: NAMESPACE })).items,
    ...(await client.list(corev1.services, { namespace: NAMESPACE })).items,
  ];
  const names = found.filter(({ metadata }) => metadata.labels?.['oaas.io/owner'] !== undefined).map(titleOf);
  if (names.toSorted((a, b) => (a < b ? -1 : 1)).join(' ') !== WANTED)
    return `objects are ${names.join(' ')}`;
  const left = await ignoreNotFound(client.get(CLASS_RUNTIMES, BRIEF));
  return left === undefined ? undefined : 'the other class is still there';
}

function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

function statusesOf(history: History, name: string): readonly NonNullable<ClassRuntime['status']>[] {
  return history.of('classruntimes', name).map(({ object }) => (object as ClassRuntime).status ?? {});
}

/** A class that was degraded is progressing or applied anew before it is available; deleting is for good. */
function illegalEdge(history: History): string | undefined {
  for (const name of ['shop', 'brief']) {
    const phases = statusesOf(history, name).map(({ phase = 'none' }) => phase);
    const edges = phases.slice(1).map((phase, index) => `${phases[index]} -> ${phase}`);
    const illegal = edges.find(
      (edge) => edge === 'degraded -> available' || /^deleting -> (?!deleting)/.test(edge),
    );
    if (illegal !== undefined) return `${name}: ${illegal}`;
  }
  return undefined;
}

function contradiction(history: History): string | undefined {
  for (const { conditions } of statusesOf(history, 'shop')) {
    const yes = ['Progressing', 'Available', 'Degraded'].filter((type) => isConditionTrue(conditions, type));
    if (yes.length > 1) return `${yes.join(' and ')} at once`;
  }
  return undefined;
}

/** Classes that people make, change and delete, while somebody deletes what was made of them. */
export const classesDay: OperatorDay = {
  name: 'classes',
  operator: classesParts,
  components: [rollouts, collector],
  observed: [
    ['oaas.io', 'classruntimes'],
    ['apps', 'deployments'],
  ],
  prepare: async () => undefined,
  script,
  rival,
  missing,
  calls: CALLS,
  invariants: { 'phases follow the table': illegalEdge, 'conditions agree': contradiction },
};

export function classesScenario(change?: (steps: ClassSteps) => ClassSteps): Scenario {
  const parts = classesParts.parts.map((part) => ({
    ...part,
    add: (...[manager, env]: Parameters<typeof addClasses>) =>
      addClasses(manager, env, change === undefined ? {} : { change }),
  }));
  return operatorScenario({ ...classesDay, operator: { ...classesParts, parts } });
}

/** Operators that are broken on purpose. */
export const classesVariants: Readonly<Record<string, (steps: ClassSteps) => ClassSteps>> = {
  /** Leaves objects that nobody wants any more. */
  untidy: (steps) => ({
    ...steps,
    act: async (action, io) =>
      (action.type === 'delete' && isOfShop(action.object) ? undefined : await steps.act?.(action, io)) ??
      'done',
  }),
};

/** Not of the class that is deleted: that one is let go only when its objects are gone. */
function isOfShop({ metadata }: KubeObject): boolean {
  return metadata.labels?.['oaas.io/owner'] === SHOP.name;
}
