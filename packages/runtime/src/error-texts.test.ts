import { createClient, createManualClock } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { asReconciler } from './controller/as-reconciler.ts';
import type { Reconciler } from './controller/reconciler.ts';
import { watchKind, watchOwned } from './controller/source.ts';
import { silentLogger } from './log/logger.ts';
import { createManager } from './manager/create-manager.ts';
import type { Manager } from './manager/manager.ts';
import { fakeApi } from './testing/fake-api.ts';
import { configMap } from './testing/objects.ts';

const { configmaps, secrets } = corev1;
/** What only plain JavaScript can do. */
const wrong = (value: unknown): never => value as never;

function setUp() {
  const api = fakeApi([configMap('a', '1')]);
  const clock = createManualClock();
  const manager = createManager({ client: createClient(api), clock, random: () => 0.5, log: silentLogger });
  return { api, clock, manager };
}

const reconciler: Reconciler = { reconcile: async () => undefined };

it.each<[string, (manager: Manager) => unknown, string]>([
  [
    'a source of nothing',
    () => watchKind(wrong(undefined)),
    'undefined is no reference to a resource: take one of a group (corev1.pods), a customResource, or { group, version, kind }',
  ],
  [
    'a source that is a name',
    () => watchOwned(wrong('pods'), configmaps),
    '"pods" is no reference to a resource',
  ],
  [
    'a read of a kind that nobody watches',
    ({ cache }) => cache.get(secrets, { name: 'a' }),
    'v1 Secret is not cached: add a source for it (watchKind, watchOwned)',
  ],
  [
    'an index that nobody declared',
    ({ cache }) => {
      cache.informer(configmaps);
      return cache.byIndex(configmaps, 'owner', 'x');
    },
    'there is no index owner: declare it with cache.addIndex',
  ],
  [
    'a finalizer without finalize',
    (manager) =>
      asReconciler(manager, configmaps, { finalizer: 'example.com/a', reconcile: async () => undefined }),
    'ConfigMap: a finalizer needs finalize, and finalize a finalizer',
  ],
  [
    'a second controller of a name',
    (manager) => {
      manager.addController({ name: 'maps', sources: [], reconciler });
      return manager.addController({ name: 'maps', sources: [], reconciler });
    },
    'controller maps is already registered',
  ],
  [
    'a webhook without server',
    (manager) => manager.webhookServer(),
    'give createManager the option `webhooks`',
  ],
])('the text of the error of %s', (_title, mistake, text) => {
  expect(() => mistake(setUp().manager)).toThrow(text);
});

describe('a reconciler', () => {
  const reconcileOnce = async (result: unknown): Promise<readonly string[]> => {
    const { clock, manager } = setUp();
    const backoff = { baseMs: 1, maxMs: 1 };
    const reconcile = async (): Promise<never> => wrong(result);
    manager.addController({
      name: 'maps',
      backoff,
      sources: [watchKind(configmaps)],
      reconciler: { reconcile },
    });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(10);
    const { degraded } = manager.health();
    stop.abort();
    await running;
    return degraded;
  };

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty result', {}],
  ])('that returns %s waits for the next change', async (_title, result) => {
    expect(await reconcileOnce(result)).toEqual([]);
  });

  it.each([
    ['"5s"', '5s'],
    ['NaN', Number.NaN],
    ['-1', -1],
  ])('that asks to come again after %s is told what to return', async (text, requeueAfter) => {
    const [degraded] = await reconcileOnce({ requeueAfter });
    expect(degraded).toMatch(/^controller maps: ns\/a failed \d+ times in a row: /);
    expect(degraded).toContain(`the reconciler returned requeueAfter ${text}: expected milliseconds`);
  });
});

it('a source of a kind that is not served makes the manager not ready, and says what to install', async () => {
  const { api, clock, manager } = setUp();
  api.refuse = 404;
  const sites = { group: 'example.com', version: 'v1', resource: 'sites', kind: 'Site', namespaced: true };
  manager.addController({ name: 'sites', sources: [watchKind(sites)], reconciler });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  for (let i = 0; i < 5; i++) await clock.advanceToNext();
  expect(manager.health()).toMatchObject({
    ready: false,
    reasons: [
      'example.com/v1 Site: failing: the server does not serve sites of example.com/v1: install the CustomResourceDefinition sites.example.com, or see "kubectl api-resources" for what it serves',
    ],
  });
  stop.abort();
  await running;
});
