import { type corev1, jsonEqual, type Stored } from '@kubewright/kube';

export const ROOT_CA_CONFIG_MAP = 'kube-root-ca.crt';

const DESCRIPTION = 'kubernetes.io/description';
/** Kubernetes' own words: whoever compares ConfigMaps finds no difference. */
const WORDS =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
  'internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** The ConfigMap of a namespace as it should be written; undefined when it is good: another description may stay. */
export function decide(
  namespace: string,
  current: Stored<corev1.ConfigMap> | undefined,
  rootCa: string,
): corev1.ConfigMap | undefined {
  const data = { 'ca.crt': rootCa };
  const annotations = { ...current?.metadata.annotations, [DESCRIPTION]: WORDS };
  if (current === undefined) {
    const metadata = { namespace, name: ROOT_CA_CONFIG_MAP, annotations };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  }
  const described = (current.metadata.annotations?.[DESCRIPTION] ?? '') !== '';
  if (described && jsonEqual(current.data, data)) return undefined;
  return { ...current, metadata: { ...current.metadata, annotations }, data };
}
