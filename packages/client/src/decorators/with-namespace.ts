import type { KubeObject } from '@kubewright/kube';
import type { Client } from '../client/client.ts';
import { localError } from '../errors/api-error.ts';
import { mapOptions } from './map-options.ts';

/**
 * Sends every call to `namespace`. A call that names another fails with `InvalidRequest` and is not sent. For namespaced
 * resources only: the server rejects a namespace on a cluster-scoped object.
 */
export function withNamespace(client: Client, namespace: string): Client {
  const put = <T extends { readonly namespace?: string | undefined }>(where: T): T => {
    const named = where.namespace;
    if (named !== undefined && named !== namespace) {
      throw localError('InvalidRequest', `the client is bound to namespace ${namespace}, not ${named}`);
    }
    return { ...where, namespace };
  };
  return mapOptions(client, {
    key: put,
    object: <T extends KubeObject>(object: T): T => ({ ...object, metadata: put(object.metadata) }),
    list: put,
  });
}
