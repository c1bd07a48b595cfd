import { isAlreadyExists } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { type Manager, partOf, type Reconciler, watchKind, watchMapped } from '@kubewright/runtime';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import { isEnding, namespaceOf } from '../workloads/namespace-of.ts';
import { isDelete } from '../workloads/watch-controlled.ts';

/** The service account of `kube-system` that it acts as. */
export const SERVICE_ACCOUNT_CONTROLLER = 'service-account-controller';

const NAME = 'default';
/** Of all accounts only these are kept in memory. */
const DEFAULTS = partOf(corev1.serviceaccounts, 'default', { fieldSelector: `metadata.name=${NAME}` });

/** Sees to it that every namespace has a ServiceAccount `default`. */
export function addServiceAccountController(manager: Manager): void {
  manager.addController({
    name: 'serviceaccount',
    reconciler: reconcilerOf(manager),
    sources: [watchKind(corev1.namespaces), watchMapped(DEFAULTS, namespaceOf, { predicates: [isDelete] })],
  });
}

function reconcilerOf({ cache, client }: Manager): Reconciler {
  return {
    async reconcile({ name: namespace }) {
      if (isEnding(cache.get(corev1.namespaces, { name: namespace }))) return {};
      if (cache.get(DEFAULTS, { namespace, name: NAME }) !== undefined) return {};
      try {
        await client.create(corev1.serviceaccounts, accountIn(namespace));
      } catch (error) {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
      }
      return {};
    },
  };
}

function accountIn(namespace: string): corev1.ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: NAME } };
}
