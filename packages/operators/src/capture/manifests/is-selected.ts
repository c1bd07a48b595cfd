import { controllerOf, type KubeObject, type OwnerReference } from '@kubewright/kube';
import { LABELS } from '../api/annotations.ts';

/** Objects that controllers create in every namespace. */
const LEFT_OUT = ['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default'];
const TOKEN = 'kubernetes.io/service-account-token';

/** What a controller puts into these it does not put into them again: passwords, keys, data. */
const IRREPLACEABLE = ['Secret', 'PersistentVolumeClaim'];

/** Their controllers make the Secrets again from the objects themselves, and take none that they do not control. */
const MAKE_SECRETS_AGAIN = /^SealedSecret bitnami\.com\//;

/** Whether a capture by kind takes an object: one that nobody makes again, and that nobody has excluded. */
export function isSelected(object: KubeObject): boolean {
  const { name, labels = {} } = object.metadata;
  const controller = controllerOf(object);
  if (controller !== undefined && isMadeAgain(object, controller)) return false;
  if (labels['heritage'] === 'deckhouse') return false;
  if (labels[LABELS.exclude] === 'true' || object['type'] === TOKEN) return false;
  return !LEFT_OUT.includes(`${object.kind}/${name}`);
}

function isMadeAgain({ kind }: KubeObject, controller: OwnerReference): boolean {
  return (
    !IRREPLACEABLE.includes(kind) || MAKE_SECRETS_AGAIN.test(`${controller.kind} ${controller.apiVersion}`)
  );
}
