import { createHash } from 'node:crypto';
import type { Client, ResourceRef } from '@kubewright/client';
import {
  canonicalJson,
  corev1,
  customResource,
  defined,
  type KubeObject,
  s,
  type Stored,
} from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';

export const NAMESPACE = 'bench';
/** How many objects of each kind: 10,000 together. */
const [MAPS, SECRETS, GADGETS, ACCOUNTS] = [7980, 1000, 500, 500];
/** Of nearly the size that the API server allows. */
const LARGE_MAPS = 20;
const LARGE_BYTES = 1_000_000;
export const OBJECTS = MAPS + LARGE_MAPS + SECRETS + GADGETS + ACCOUNTS;
/** ConfigMaps that somebody writes all the time. */
export const CHANGING = Array.from({ length: 10 }, (_, index) => `map-${index}`);
const AT_ONCE = 32;
const UNUSUAL = 'Ωmega e\u0301 \u{1f9ea} \u2028 <&> \\u0000 \u202etxet';

export const GADGET = customResource({
  group: 'bench.example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
  schema: s.object({ spec: s.object({ serial: s.integer(), factors: s.list(s.number()) }) }),
});

/** What is captured. */
export const KINDS: readonly ResourceRef[] = [
  corev1.configmaps,
  corev1.secrets,
  corev1.serviceaccounts,
  GADGET,
];

/** Fills a namespace with objects that a careless copy changes. */
export async function fillNamespace(client: Client): Promise<void> {
  await installDefinitions(client, [GADGET.definition], { fieldManager: 'bench' });
  await client.create<KubeObject>(corev1.namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  });
  const objects = contents();
  const createSome = async (): Promise<void> => {
    for (const [ref, object] of objects) await client.create<KubeObject>(ref, object);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createSome));
}

function* contents(): Generator<readonly [ResourceRef, KubeObject]> {
  for (let index = 0; index < MAPS; index++) yield [corev1.configmaps, configMap(`map-${index}`, index)];
  for (let index = 0; index < LARGE_MAPS; index++)
    yield [corev1.configmaps, { ...configMap(`large-${index}`, index), data: { text: largeText(index) } }];
  for (let index = 0; index < SECRETS; index++) {
    const data = { token: Buffer.from(digest(`secret-${index}`)).toString('base64') };
    yield [corev1.secrets, { ...named('v1', 'Secret', `secret-${index}`), type: 'Opaque', data }];
  }
  for (let index = 0; index < ACCOUNTS; index++)
    yield [corev1.serviceaccounts, named('v1', 'ServiceAccount', `account-${index}`)];
  for (let index = 0; index < GADGETS; index++) {
    const spec = { serial: 9_007_199_254_740_993n + BigInt(index), factors: [0.1, 1e-7, 1e21] };
    yield [GADGET, { ...named(`${GADGET.group}/v1`, 'Gadget', `gadget-${index}`), spec }];
  }
}

function named(apiVersion: string, kind: string, name: string): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE, labels: { app: 'bench' } } };
}

function configMap(name: string, index: number): KubeObject {
  const data = { '10': 'ten', '2': 'two', text: `${UNUSUAL} ${index}`, digest: digest(name) };
  const binaryData = { bytes: Buffer.from(digest(`${name}-bytes`), 'hex').toString('base64') };
  return { ...named('v1', 'ConfigMap', name), data, binaryData };
}

function digest(of: string): string {
  return createHash('sha512').update(of).digest('hex');
}

/** Hashes in hex: gzip makes half of them. */
function largeText(index: number): string {
  const parts: string[] = [];
  for (let length = 0; length < LARGE_BYTES; length += 128) parts.push(digest(`${index}-${length}`));
  return parts.join('').slice(0, LARGE_BYTES);
}

/** Identifies an object among the captured ones. */
export function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.name}`;
}

/** What its author has written of an object: all but what a server sets. */
export function writtenOf({ metadata, ...object }: KubeObject): string {
  const { name, namespace, labels, annotations } = metadata;
  return canonicalJson({
    ...object,
    metadata: { ...defined({ name, namespace, labels, annotations }) },
  });
}

/** All versions of the changing objects, as they were written until the signal is aborted. */
export async function keepChanging(client: Client, signal: AbortSignal): Promise<readonly Stored[]> {
  const versions: Stored[] = [];
  for (const name of CHANGING)
    versions.push(await client.get(corev1.configmaps, { namespace: NAMESPACE, name }));
  for (let round = 0; !signal.aborted; round++)
    for (const name of CHANGING) {
      const body = { data: { round: String(round) } };
      const key = { namespace: NAMESPACE, name };
      versions.push(await client.patch(corev1.configmaps, key, { type: 'merge', body }));
    }
  return versions;
}
