import { waitForObject } from '@kubewright/runtime';
import { appsv1, corev1, type Stored } from '@kubewright/kube';
import { demoNamespace } from '../../kit/demo-namespace.ts';
import type { Stage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { CLASS_RUNTIMES, type ClassRuntime } from '../api.ts';

const NAMESPACE = 'classes-demo';
const CART = { namespace: NAMESPACE, name: 'cart' };
const PATIENCE_MS = 30_000;

type Scene = Stage & { readonly say: (text: string) => void };

/** A class becomes available, one function crashes and recovers, and the other scales with its load. */
export async function playDemo(stage: Stage): Promise<void> {
  const scene: Scene = { ...stage, say: (text) => stage.out(`   ${text}\n`) };
  await demoNamespace(stage, NAMESPACE);
  await apply(scene);
  await crash(scene);
  await grow(scene);
}

/** Short timers, so that the demo takes seconds. */
const TIMEOUTS = {
  crashloop_restarts: 1,
  recovery_stable_secs: 1,
  analyzer_interval_secs: 1,
  enforcement_stability_secs: 1,
  enforcement_cooldown_secs: 1,
};

async function apply(scene: Scene): Promise<void> {
  const { client, say, paint } = scene;
  const image = (name: string) => ({ container_image: `registry.example/${name}:1` });
  await client.create(CLASS_RUNTIMES, {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: CART,
    spec: {
      package_class_key: 'shop.cart',
      functions: [
        { function_key: 'cart.add', provision_config: image('add') },
        { function_key: 'cart.pay', provision_config: image('pay') },
      ],
      enforcement: { mode: 'enforce', dimensions: ['replicas'] },
      timeouts: TIMEOUTS,
    },
  });
  const { status } = await reached(scene, 'available');
  const objects = (status?.resource_refs ?? []).map(({ kind, name }) => `${kind}/${name}`);
  say(`A ClassRuntime with two functions and a data grid: ${objects.length} objects are created for it.`);
  say(objects.join(' '));
  say(`Its phase: ${paint('green', 'available')}.`);
}

async function crash(scene: Scene): Promise<void> {
  const { client, say, paint } = scene;
  const pod = await podOf(scene, 'cart-fn-1');
  await annotate(scene, pod, { 'nodes.kubewright.dev/crash': 'true' });
  const { status } = await reached(scene, 'degraded');
  say(
    `The pod of cart.pay crashes: ${paint('red', 'degraded')}, ${status?.lifecycle?.reason}: ${status?.message}`,
  );
  await client.delete(corev1.pods, pod.metadata);
  await reached(scene, 'available');
  say(
    `It is replaced. Never straight back: progressing/Recovering first, then ${paint('green', 'available')}.`,
  );
}

async function grow(scene: Scene): Promise<void> {
  const { client, say } = scene;
  await annotate(scene, await podOf(scene, 'cart-fn-0'), { 'metrics.kubewright.dev/cpu': '1400m' });
  const recommended = await until(scene, (live) => live?.status?.nfr_recommendations?.['replicas'] === 3);
  const detail = recommended.status?.nfr_details?.[0];
  say(`cart.add uses 1400m of CPU. Recommended: ${detail?.recommended} replicas, by ${detail?.basis}.`);
  const { status } = await until(
    scene,
    (live) => live?.status?.last_applied_recommendations?.at(-1)?.target === 3,
  );
  const steps = (status?.last_applied_recommendations ?? []).map(({ target }) => target);
  say(
    `Mode enforce: stable for a window, then in steps, each after a cooldown: 1, ${steps.join(', ')} replicas.`,
  );
  const { spec } = await client.get(appsv1.deployments, { namespace: NAMESPACE, name: 'cart-fn-0' });
  say(`deployment/cart-fn-0 has ${spec?.replicas} replicas. "kubewright class explain cart" says why.`);
}

async function podOf({ client, signal }: Scene, app: string): Promise<Stored<corev1.Pod>> {
  signal.throwIfAborted();
  const { items } = await client.list(corev1.pods, { namespace: NAMESPACE, labelSelector: `app=${app}` });
  const [pod] = items;
  if (pod === undefined) throw new OperatorError('Failed', `${app} has no pod`);
  return pod;
}

async function annotate(
  { client }: Scene,
  { metadata }: Stored<corev1.Pod>,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await client.patch(corev1.pods, metadata, { type: 'merge', body: { metadata: { annotations } } });
}

function reached(scene: Scene, phase: string): Promise<ClassRuntime> {
  return until(scene, (live) => live?.status?.phase === phase);
}

async function until(
  { client, signal }: Scene,
  holds: (live: ClassRuntime | undefined) => boolean,
): Promise<ClassRuntime> {
  const found = await waitForObject(client, CLASS_RUNTIMES, CART, holds, { signal, timeoutMs: PATIENCE_MS });
  if (found === undefined) throw new OperatorError('Failed', 'the class is gone');
  return found;
}
