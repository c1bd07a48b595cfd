import { isNotFound } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { type Manager, partOf, type Reconciler, watchKind, watchMapped } from '@kubewright/runtime';
import { createFailureBackoff } from '../workloads/failure-backoff.ts';
import { isEnding, namespaceOf } from '../workloads/namespace-of.ts';
import { isNamespaceTerminating } from '../workloads/pod-control.ts';
import { decide, ROOT_CA_CONFIG_MAP } from './decide.ts';

/** The service account of `kube-system` that it acts as. */
export const ROOT_CA_PUBLISHER = 'root-ca-cert-publisher';

/** Of all ConfigMaps only these are kept in memory. */
const ROOT_CAS = partOf(corev1.configmaps, 'root CA', {
  fieldSelector: `metadata.name=${ROOT_CA_CONFIG_MAP}`,
});

export type RootCaOptions = {
  /** PEM of the authority by which clients know the API server. */
  readonly rootCa: string;
};

/** Publishes the cluster's certificate authority in a ConfigMap of every namespace. */
export function addRootCaPublisher(manager: Manager, options: RootCaOptions): void {
  manager.addController({
    name: 'root-ca',
    reconciler: reconcilerOf(manager, options),
    sources: [
      watchKind(corev1.namespaces),
      watchMapped(ROOT_CAS, namespaceOf, { predicates: [({ type }) => type !== 'Create'] }),
    ],
  });
}

function reconcilerOf({ cache, client, clock }: Manager, { rootCa }: RootCaOptions): Reconciler {
  const undone = createFailureBackoff();
  return {
    async reconcile({ name: namespace }) {
      if (isEnding(cache.get(corev1.namespaces, { name: namespace }))) return {};
      const current = cache.get(ROOT_CAS, { namespace, name: ROOT_CA_CONFIG_MAP });
      const wanted = decide(namespace, current, rootCa);
      if (wanted === undefined) return {};
      const live =
        current === undefined
          ? await client.create(corev1.configmaps, wanted).catch(unlessGone)
          : await client.update(corev1.configmaps, wanted);
      if (live === undefined || decide(namespace, live, rootCa) === undefined) return {};
      // A webhook has undone it: an update that changes nothing sends no watch event.
      undone.note(namespace, clock.now());
      return { requeueAfter: undone.wait(namespace, clock.now()) };
    },
  };
}

/** A namespace that ends meanwhile needs nothing. */
function unlessGone(error: unknown): undefined {
  if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
}
