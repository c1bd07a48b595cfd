import { ApiError, type Client, systemClock } from '@kubewright/client';
import { corev1, isConditionTrue, type KubeObject } from '@kubewright/kube';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import { demoNamespace } from '../../kit/demo-namespace.ts';
import type { DemoStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS, KAUSALITIES } from '../api.ts';
import { formatApprovals } from '../annotations/find-approval.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { reconcileSite, type Render, SITE_CONTROLLER, version1, version2 } from './site-controller.ts';
import { SITES } from './site.ts';
import { viewOf } from '../annotations/recorded-view.ts';

const NAMESPACE = 'demo-drift';
const WEB = { namespace: NAMESPACE, name: 'web' };
const ALICE = { username: 'alice', groups: ['system:masters'] };
const MANAGER = 'kubewright-demo';

type Scene = DemoStage & { readonly say: (text: string) => void };

/**
 * A change that alice makes is traced to her; drift by a new version of a controller is denied, and allowed once after
 * an approval.
 */
export async function playDemo(stage: DemoStage): Promise<void> {
  const say = (text: string): void => stage.out(`   ${text.replaceAll('\n', '\n   ')}\n`);
  const scene = { ...stage, say };
  await prepare(scene);
  await aliceAsks(scene);
  await nobodyAsks(scene);
  await aliceApproves(scene);
}

async function prepare(scene: Scene): Promise<void> {
  const { client, signal, say } = scene;
  await installDefinitions(client, [SITES.definition], { fieldManager: MANAGER, signal });
  await demoNamespace(scene, NAMESPACE);
  const spec = {
    mode: 'enforce',
    namespaces: { names: [NAMESPACE] },
    resources: [
      { apiGroups: [''], resources: ['configmaps'] },
      { apiGroups: [SITES.group], resources: ['sites'] },
    ],
  } as const;
  const policy = {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: NAMESPACE },
    spec,
  } as const;
  await client.apply(KAUSALITIES, policy, { fieldManager: MANAGER, force: true });
  await waitForObject(
    client,
    KAUSALITIES,
    { name: NAMESPACE },
    (live) => isConditionTrue(live?.status?.conditions, 'Ready'),
    { signal },
  );
  say(`A policy (kausality/${NAMESPACE}) denies drift of Sites and ConfigMaps in namespace ${NAMESPACE}.`);
}

async function aliceAsks(scene: Scene): Promise<void> {
  const { as, say } = scene;
  const alice = as(ALICE);
  const site = { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', metadata: WEB, spec: { color: 'red' } };
  await alice.create(SITES, site);
  await reconcile(scene, version1);
  await waitForPhase(scene);
  await alice.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'blue' } } });
  await reconcile(scene, version1);
  say(
    `alice makes site/web blue, and its controller follows: configmap/web has ${await dataOf(alice)}. Why?`,
  );
  say(`  ${traceText(await alice.get(corev1.configmaps, WEB))}`);
}

async function nobodyAsks(scene: Scene): Promise<void> {
  const { say, paint } = scene;
  say(
    'A new version of the controller adds a theme to every Site. site/web has not changed, so that is drift, and denied:',
  );
  say(`  ${paint('red', await denialOf(scene, version2))}`);
}

async function aliceApproves(scene: Scene): Promise<void> {
  const { as, say, paint, signal } = scene;
  const alice = as(ALICE);
  const { metadata } = await alice.get(SITES, WEB);
  const approval = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', mode: 'once' };
  const { generation = 0 } = metadata;
  const annotations = { [ANNOTATIONS.approvals]: formatApprovals([{ ...approval, generation }]) };
  await alice.patch(SITES, WEB, { type: 'merge', body: { metadata: { annotations } } });
  await reconcile(scene, version2);
  say(`alice approves, as the message says; configmap/web has ${paint('green', await dataOf(alice))}:`);
  say(`  ${traceText(await alice.get(corev1.configmaps, WEB))}`);
  await waitForObject(
    alice,
    SITES,
    WEB,
    (live) => live?.metadata.annotations?.[ANNOTATIONS.approvals] === undefined,
    { signal },
  );
  await denialOf(scene, version1);
  say('Once means once: its next change is denied again, and "kubewright drift list" shows it.');
}

function reconcile({ as }: Scene, render: Render): Promise<boolean> {
  return reconcileSite(as(SITE_CONTROLLER), WEB, render, systemClock.now());
}

async function denialOf(scene: Scene, render: Render): Promise<string> {
  const error: unknown = await reconcile(scene, render).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError && error.code === 403) return error.message;
  throw new OperatorError('Failed', 'the drift was not denied', { cause: error });
}

async function waitForPhase({ client, signal }: Scene): Promise<void> {
  await waitForObject(
    client,
    SITES,
    WEB,
    (live) => live !== undefined && viewOf(live).metadata.annotations?.[ANNOTATIONS.phase] === 'initialized',
    { signal },
  );
}

async function dataOf(client: Client): Promise<string> {
  const { data = {} } = await client.get(corev1.configmaps, WEB);
  return Object.entries(data)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

function traceText(object: KubeObject): string {
  return traceOf(viewOf(object))
    .map(({ kind, name, user, approval }) => {
      const by = approval === undefined ? '' : ` (approved ${approval.mode} by ${approval.by ?? 'somebody'})`;
      return `${kind.toLowerCase()}/${name} by ${user}${by}`;
    })
    .join(' -> ');
}
