import { ApiError, type Client } from '@kubewright/client';
import { type Json, type KubeObject, type ManagedFieldsEntry, parseApiVersion } from '@kubewright/kube';

type PatchOptions = { readonly type?: 'merge' | 'strategic'; readonly subresource?: string };

/** The calls of the several clients that quarrel over objects in one namespace. */
export type Clients = {
  /** Creates with POST, as a client does that knows nothing of server-side apply. */
  create(object: KubeObject, manager: string): Promise<KubeObject>;
  /** Server-side apply with force. */
  apply(object: KubeObject, manager: string, dryRun?: boolean): Promise<KubeObject>;
  /** The same without force. Whether it was applied: not if another manager owns a field that it has another value of. */
  applyUnforced(object: KubeObject, manager: string): Promise<boolean>;
  patch(object: KubeObject, body: Json, manager: string, options?: PatchOptions): Promise<KubeObject>;
  /** Replaces `metadata.managedFields`. */
  rewrite(object: KubeObject, entries: readonly ManagedFieldsEntry[]): Promise<KubeObject>;
  get(object: KubeObject): Promise<KubeObject>;
};

/** {@link Clients} that call as `api`; an object without a namespace is taken to be in `namespace`. */
export function clientsIn(namespace: string, api: () => Client): Clients {
  const at = (object: KubeObject): KubeObject => ({ ...object, metadata: { namespace, ...object.metadata } });
  const ref = ({ apiVersion, kind }: KubeObject) => ({ ...parseApiVersion(apiVersion), kind });
  const key = ({ metadata }: KubeObject) => ({ namespace, name: metadata.name ?? '' });
  return {
    create: (object, fieldManager) => api().create(ref(object), at(object), { fieldManager }),
    apply: (object, fieldManager, dryRun = false) =>
      api().apply(ref(object), at(object), { fieldManager, force: true, dryRun }),
    applyUnforced: (object, fieldManager) =>
      api()
        .apply(ref(object), at(object), { fieldManager })
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof ApiError && error.code === 409) return false;
            throw error;
          },
        ),
    patch: (object, body, fieldManager, { type = 'strategic', ...options } = {}) =>
      api().patch(ref(object), key(object), { type, body }, { fieldManager, ...options }),
    rewrite: (object, entries) =>
      api().patch(ref(object), key(object), {
        type: 'json',
        body: [{ op: 'replace', path: '/metadata/managedFields', value: entries }],
      }),
    get: (object) => api().get(ref(object), key(object)),
  };
}
