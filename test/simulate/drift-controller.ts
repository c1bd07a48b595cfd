import { type Client, createClient, ignoreNotFound, isForbidden, withRetry } from '@kubewright/client';
import type { Component, History } from '@kubewright/cluster';
import { corev1, defined, type KubeObject } from '@kubewright/kube';
import { createManager, silentLogger, watchKind, watchMapped } from '@kubewright/runtime';
import {
  reconcileSite,
  type Render,
  SITE_CONTROLLER,
} from '../../packages/operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../packages/operators/src/drift/demo/site.ts';

export const WEB = { namespace: 'default', name: 'web' };
/** Nobody judges what is here. */
const OUTSIDE = 'kube-public';
/** Which version of the controller runs. */
export const RELEASE = { namespace: OUTSIDE, name: 'release' };
/** A denial that must not have been is recorded here: the history of a world has no denials. */
const WRONG = { namespace: OUTSIDE, name: 'wrongly-denied' };
const JUDGE = { username: 'judge', groups: ['system:masters'] };

/** What versions of the controller make of a Site. From the second on they know better. */
const THEMES: Readonly<Record<string, string>> = { '2': 'dark', '3': 'light' };

/** The controller of Sites, whose versions are released by a ConfigMap. */
export const siteController: Component = {
  name: 'sites',
  async start({ connect, clock, random, signal }) {
    const client = createClient(withRetry(connect(SITE_CONTROLLER), { clock, random }));
    const judge = createClient(withRetry(connect(JUDGE), { clock, random }));
    const manager = createManager({ client, clock, random, log: silentLogger });
    manager.addController({
      name: 'sites',
      sources: [
        watchKind(SITES),
        watchMapped(corev1.configmaps, () => [WEB], { cached: { namespace: RELEASE.namespace } }),
      ],
      // Whoever is denied tries again, but not without end.
      backoff: { baseMs: 100, maxMs: 20_000 },
      reconciler: {
        async reconcile(request) {
          if (manager.cache.get(SITES, request) === undefined) return {};
          const version = manager.cache.get(corev1.configmaps, RELEASE)?.data?.['version'] ?? '1';
          const theme = THEMES[version];
          const render: Render = ({ spec }) => ({ color: spec.color, ...defined({ theme }) });
          const reconcile = (): Promise<boolean> => reconcileSite(copying(client), WEB, render, clock.now());
          const wrote = await judged(judge, reconcile);
          // A write that somebody's webhook undoes brings no event.
          return wrote ? { requeueAfter: 1000 } : {};
        },
      },
    });
    await manager.start(signal);
  },
};

/** Copies the annotations of the Site to what it makes of it, as the Deployment controller does. */
function copying(client: Client): Client {
  const copied = async <T extends KubeObject>(object: T): Promise<T> => {
    const site = await client.get(SITES, WEB);
    const annotations = { ...object.metadata.annotations, ...site.metadata.annotations };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  return {
    ...client,
    create: async (ref, object, options) => client.create(ref, await copied(object), options),
    update: async (ref, object, options) => client.update(ref, await copied(object), options),
  };
}

/** Records a denial of what somebody has asked for: only the controller ends that, when it writes the status. */
async function judged<T>(judge: Client, reconcile: () => Promise<T>): Promise<T> {
  const isAsked = await isUnreconciled(judge);
  try {
    return await reconcile();
  } catch (error) {
    const isDrift = isForbidden(error) && (error as Error).message.includes('drift');
    if (isAsked && isDrift && (await isUnreconciled(judge)))
      await judge.apply(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: WRONG },
        { fieldManager: JUDGE.username },
      );
    throw error;
  }
}

async function isUnreconciled(judge: Client): Promise<boolean> {
  const site = await ignoreNotFound(judge.get(SITES, WEB));
  return site !== undefined && site.status?.observedGeneration !== site.metadata.generation;
}

export function wronglyDenied(history: History): string | undefined {
  return history.of('configmaps', WRONG.name).length === 0 ? undefined : 'what somebody asked for was denied';
}
