import { type Client, ignoreNotFound, type ObjectKey, type ResourceRef } from '@kubewright/client';
import { defined, getOwn, isJsonObject, type KubeObject } from '@kubewright/kube';
import { type CertificateBundle, readBundle } from './certificate-bundle.ts';

export const SECRETS: ResourceRef = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
};

const DATA_KEY = 'bundle.json';

/** The Secret as it was read. */
export type StoredBundle = {
  /** Undefined: there is no valid bundle. */
  readonly bundle: CertificateBundle | undefined;
  /** Undefined: there is no such Secret. */
  readonly object: KubeObject | undefined;
};

export async function readBundleSecret(
  client: Client,
  at: ObjectKey,
  signal: AbortSignal,
): Promise<StoredBundle> {
  const object = await ignoreNotFound(client.get(SECRETS, at, { signal }));
  const data = object?.['data'];
  const encoded = isJsonObject(data) ? getOwn(data, DATA_KEY) : undefined;
  const bundle =
    typeof encoded === 'string' ? readBundle(Buffer.from(encoded, 'base64').toString()) : undefined;
  return { object, bundle };
}

/** Guarded by what was read: rejects with a conflict, or `AlreadyExists`, when another replica was first. */
export async function writeBundleSecret(
  client: Client,
  at: ObjectKey,
  { object }: StoredBundle,
  bundle: CertificateBundle,
  signal: AbortSignal,
): Promise<void> {
  const data = { [DATA_KEY]: Buffer.from(JSON.stringify(bundle)).toString('base64') };
  if (object === undefined) {
    const metadata = { name: at.name, ...defined({ namespace: at.namespace }) };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
    await client.create<KubeObject>(SECRETS, secret, { signal });
  } else {
    await client.update<KubeObject>(SECRETS, { ...object, data }, { signal });
  }
}
