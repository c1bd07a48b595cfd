import { createHash } from 'node:crypto';
import { type Client, ignoreNotFound } from '@kubewright/client';
import {
  compareText,
  corev1,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
} from '@kubewright/kube';
import { openKind } from './open-kind.ts';

/** The parent of what these controllers make. */
export const STAND_IN = openKind('standins.kubewright.io', 'StandIn', 'standins');

type Annotations = Readonly<Record<string, string>>;

/** The annotations that a controller wants on a child, from those of its parent and those that are there. */
export type Style = (parent: Annotations, child: Annotations) => Annotations;

const HISTORY = 'example.com/revision-history';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const without = (annotations: Annotations, ...keys: readonly string[]): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !keys.includes(key)));

function hashOf(annotations: Annotations): string {
  const entries = Object.entries(annotations).toSorted(([a], [b]) => compareText(a, b));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

/** How controllers treat annotations, as their sources say: see docs/decisions/0007. */
export const STYLES = {
  /** Argo Rollouts, the Deployment controller: copies all but its own, and counts its updates in one of these. */
  'copies and counts': (parent, child) => {
    const copied = { ...child, ...without(parent, LAST_APPLIED, HISTORY) };
    if (jsonEqual(copied, child)) return child;
    const before = child[HISTORY];
    return { ...copied, [HISTORY]: before === undefined ? '1' : `${before},1` };
  },
  /** KEDA, Knative: the child has the parent's and no others. */
  'replaces all': (parent) => without(parent, LAST_APPLIED),
  /** RabbitMQ's cluster operator, cert-manager: adds the parent's to those that are there. */
  merges: (parent, child) => ({ ...child, ...without(parent, LAST_APPLIED) }),
  /** The Prometheus operator: the child has a hash of all that its parent has. */
  hashes: (parent, child) => ({ ...child, 'example.com/input-hash': hashOf(parent) }),
  /** Controllers that render the whole child. */
  'sends none': () => ({}),
} as const satisfies Readonly<Record<string, Style>>;

/**
 * One sync of a controller of this style: the child has the color of its parent, and the status says so. Returns how many
 * writes it has made.
 */
export async function syncCopies(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  style: Style,
): Promise<number> {
  const parent = await client.get<KubeObject>(STAND_IN.ref, key);
  const wrote = await syncChild(client, parent, style);
  const status = { observedGeneration: String(parent.metadata.generation), phase: 'Healthy' };
  if (jsonEqual(parent['status'], status)) return wrote;
  await client.patch(STAND_IN.ref, key, { type: 'merge', body: { status } }, { subresource: 'status' });
  return wrote + 1;
}

async function syncChild(client: Client, parent: Stored, style: Style): Promise<number> {
  const { namespace = '', name, annotations: sent = {} } = parent.metadata;
  const data = { color: colorOf(parent) };
  const live = await ignoreNotFound(client.get(corev1.configmaps, { namespace, name }));
  const before = live?.metadata.annotations ?? {};
  const annotations = style(sent, before);
  if (live === undefined) {
    const ownerReferences = [ownerReferenceTo(parent, { controller: true })];
    const metadata = { namespace, name, annotations, ownerReferences };
    await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    return 1;
  }
  if (jsonEqual(annotations, before) && jsonEqual(live.data ?? {}, data)) return 0;
  await client.update(corev1.configmaps, { ...live, metadata: { ...live.metadata, annotations }, data });
  return 1;
}

function colorOf(parent: KubeObject): string {
  const spec: Json | undefined = (parent as JsonObject)['spec'];
  const color = isJsonObject(spec) ? spec['color'] : undefined;
  return typeof color === 'string' ? color : '';
}
