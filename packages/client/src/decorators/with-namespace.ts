import type { KubeObject } from '@kubewright/kube';
import type { Client } from '../client/client.ts';
import { localError } from '../errors/api-error.ts';
import { mapOptions } from './map-options.ts';

/**
 * Puts every call into `namespace`. A call that names another is refused before it is sent. For namespaced resources
 * only: an object of a cluster-wide kind would be given a namespace that the server refuses.
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
