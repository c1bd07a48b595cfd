import { ApiError, type Client, ignoreNotFound, type KindRef, keyOf } from '@kubewright/client';
import { isJsonArray, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { Answer, ObjectRef, Target } from './target.ts';

/** A {@link Target} over a client. */
export function clientTarget(client: Client): Target {
  return {
    get: (ref) => ignoreNotFound(client.get(kindOf(ref), keyOfRef(ref))),
    apply: (object, { manager, dryRun }) =>
      answer(client.apply(kindOf(object), object, { fieldManager: manager, force: true, dryRun })),
    patchJson(ref, patch, { manager }) {
      const body = isJsonArray(patch) ? patch : [];
      return answer(
        client.patch(kindOf(ref), keyOfRef(ref), { type: 'json', body }, { fieldManager: manager }),
      );
    },
    delete: (live, propagationPolicy) => answer(remove(client, live, propagationPolicy)),
  };
}

async function remove(
  client: Client,
  live: KubeObject,
  propagationPolicy: 'Background' | 'Foreground',
): Promise<KubeObject> {
  const { uid, resourceVersion } = live.metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  await ignoreNotFound(client.delete(kindOf(live), keyOf(live), { preconditions, propagationPolicy }));
  return live;
}

/** A refusal becomes an answer; what may pass when tried again stays an exception. */
async function answer(call: Promise<KubeObject>): Promise<Answer> {
  try {
    return { ok: true, object: await call };
  } catch (error) {
    if (error instanceof ApiError && error.code >= 400 && !error.retryable) {
      return { ok: false, status: error.status };
    }
    throw error;
  }
}

function kindOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): KindRef {
  return { ...parseApiVersion(apiVersion), kind };
}

function keyOfRef({ namespace, name }: ObjectRef): { namespace?: string; name: string } {
  return namespace === '' ? { name } : { namespace, name };
}
