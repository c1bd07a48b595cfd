import type { ResourceRef } from '@kubewright/client';
import { isJsonArray, isJsonObject, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { valueAt } from '../../packages/operators/src/kit/testing/value-at.ts';
import type { Place } from './scenario.ts';

/** A namespaced kind of a controller. */
export function kindOf(apiVersion: string, kind: string, resource: string): ResourceRef {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind, resource, namespaced: true };
}

/** What a person does with objects of a place. */
export const at = (place: Place) => {
  const { client, namespace } = place;
  return {
    create: (ref: object, name: string, body: JsonObject): Promise<Stored> => {
      const { group, version, kind } = ref as ResourceRef;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const { labels, annotations, ...rest } = body;
      const metadata = { namespace, name, ...(labels && { labels }), ...(annotations && { annotations }) };
      return client.create<KubeObject>(ref as ResourceRef, { apiVersion, kind, metadata, ...rest } as never);
    },
    get: (ref: object, name: string): Promise<Stored> =>
      client.get<KubeObject>(ref as ResourceRef, { namespace, name }),
    merge: (ref: object, name: string, body: JsonObject): Promise<Stored> =>
      client.patch<KubeObject>(ref as ResourceRef, { namespace, name }, { type: 'merge', body }),
    mergeStatus: (ref: object, name: string, status: JsonObject): Promise<Stored> =>
      client.patch<KubeObject>(
        ref as ResourceRef,
        { namespace, name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      ),
    remove: (ref: object, name: string): Promise<unknown> =>
      client.delete(ref as ResourceRef, { namespace, name }),
    /** Those that are not being deleted. */
    list: async (ref: object): Promise<readonly Stored[]> => {
      const { items } = await client.list<KubeObject>(ref as ResourceRef, { namespace });
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
  };
};

/** Whether a condition of the status is true. */
export function isCondition(object: KubeObject, type: string): boolean {
  const conditions = valueAt(object, 'status.conditions');
  return (
    isJsonArray(conditions) &&
    conditions.some((one) => isJsonObject(one) && one['type'] === type && one['status'] === 'True')
  );
}
