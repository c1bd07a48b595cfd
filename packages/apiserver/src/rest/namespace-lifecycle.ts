import { type KubeObject, getOwn, isJsonArray, isJsonObject } from '@kubewright/kube';
import { forbidden, notFound } from '../api-server-error.ts';
import type { RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Namespaces that no one may delete. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);
const NAMESPACES = { group: '', resource: 'namespaces' };

/** Nothing is created in a namespace that is not there, or no longer will be. */
export function checkNamespaceTakes({ store }: RestContext, request: ResourceRequest, name: string): void {
  const { definition, namespace } = request;
  if (!definition.namespaced) return;
  const found = store.collection('', 'namespaces').get(namespace);
  if (found === undefined) throw notFound(NAMESPACES, namespace);
  if (phaseOf(found.object) !== 'Terminating') return;
  throw forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}

export function checkMayDelete({ definition, name }: ResourceRequest): void {
  if (!isNamespace(definition) || !IMMORTAL.has(name)) return;
  throw forbidden(definition, name, 'this namespace may not be deleted');
}

export function isNamespace({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): boolean {
  return group === '' && resource === 'namespaces';
}

/** The number of `spec.finalizers` of a Namespace: while there are any, it is being emptied. */
export function namespaceFinalizers(namespace: KubeObject): number {
  const spec = getOwn(namespace, 'spec');
  const finalizers = isJsonObject(spec) ? getOwn(spec, 'finalizers') : undefined;
  return isJsonArray(finalizers) ? finalizers.length : 0;
}

/** A Namespace on its way out. */
export function terminating(namespace: KubeObject): KubeObject {
  const status = getOwn(namespace, 'status');
  return { ...namespace, status: { ...(isJsonObject(status) ? status : {}), phase: 'Terminating' } };
}

function phaseOf(namespace: KubeObject): unknown {
  const status = getOwn(namespace, 'status');
  return isJsonObject(status) ? getOwn(status, 'phase') : undefined;
}
