import { isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { SecretPolicy } from '../api/manifest-capture-request.ts';

/** What to capture of an object: all or part of it, or nothing; or a fault that fails the whole request. */
export type Kept =
  | { readonly type: 'keep'; readonly object: KubeObject }
  | { readonly type: 'leaveOut' }
  | { readonly type: 'fault'; readonly message: string };

/** Credentials of the cluster itself: useless in a backup, and valuable to a thief. */
const NEVER = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'];
/** `kubectl apply` stores a second copy of the Secret in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What a policy captures of an object. */
export function applySecretPolicy(object: KubeObject, policy: SecretPolicy): Kept {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret') return { type: 'keep', object };
  const type = NEVER.find((never) => never === object['type']);
  if (type !== undefined)
    return {
      type: 'fault',
      message: `Secret ${object.metadata.name} is of type ${type}, which is never captured`,
    };
  if (policy === 'Exclude') return { type: 'leaveOut' };
  return { type: 'keep', object: policy === 'Redact' ? redacted(object) : object };
}

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
