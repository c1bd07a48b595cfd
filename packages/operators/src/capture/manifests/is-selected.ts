import { controllerOf, type KubeObject } from '@kubewright/kube';
import { LABELS } from '../api/annotations.ts';

/** Objects that controllers create in every namespace. */
const LEFT_OUT = ['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default'];
const TOKEN = 'kubernetes.io/service-account-token';

/** Whether a capture by kind takes an object: one that no controller creates, and that nobody has excluded. */
export function isSelected(object: KubeObject): boolean {
  const { name, labels = {} } = object.metadata;
  if (controllerOf(object) !== undefined || labels['heritage'] === 'deckhouse') return false;
  if (labels[LABELS.exclude] === 'true' || object['type'] === TOKEN) return false;
  return !LEFT_OUT.includes(`${object.kind}/${name}`);
}
