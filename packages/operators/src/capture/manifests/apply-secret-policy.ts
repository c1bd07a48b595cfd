import { isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { SecretPolicy } from '../api/manifest-capture-request.ts';
import { encryptSecret, LAST_APPLIED } from '../secrets/encrypt-secret.ts';
import type { CaptureKey } from '../secrets/key-ring.ts';

/** What to capture of an object: all or part of it, or nothing; or a fault that fails the whole request. */
export type Kept =
  | { readonly type: 'keep'; readonly object: KubeObject }
  | { readonly type: 'leaveOut' }
  | { readonly type: 'fault'; readonly message: string };

/** Credentials of the cluster itself: useless in a backup, and valuable to a thief. */
const NEVER = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];

/** What a policy captures of an object. Without a key nothing is captured as `Encrypt`. */
export function applySecretPolicy(object: KubeObject, policy: SecretPolicy, key?: CaptureKey): Kept {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret') return { type: 'keep', object };
  const type = NEVER.find((never) => never === object['type']);
  if (type !== undefined)
    return {
      type: 'fault',
      message: `Secret ${object.metadata.name} is of type ${type}, which is never captured`,
    };
  switch (policy) {
    case 'Include':
      return { type: 'keep', object };
    case 'Redact':
      return { type: 'keep', object: redacted(object) };
    case 'Exclude':
      return { type: 'leaveOut' };
    case 'Encrypt':
      return key === undefined ? NO_KEY : { type: 'keep', object: encryptSecret(object, key) };
  }
}

const NO_KEY: Kept = {
  type: 'fault',
  message: 'Secrets cannot be encrypted: the operator has no key (CAPTURE_KEY_FILE)',
};

/** Keeps the keys, drops the values. */
function redacted({ apiVersion, kind, metadata, ...fields }: KubeObject): KubeObject {
  const { [LAST_APPLIED]: _whole, ...annotations } = metadata.annotations ?? {};
  const { data, stringData: _values, ...rest } = fields;
  return {
    ...rest,
    apiVersion,
    kind,
    metadata: metadata.annotations === undefined ? metadata : { ...metadata, annotations },
    ...(isJsonObject(data) ? { data: withoutValues(data) } : {}),
  };
}

function withoutValues(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(data).map((key) => [key, '']));
}
