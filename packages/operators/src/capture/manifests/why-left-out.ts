import { controllerOf, type KubeObject, type OwnerReference } from '@kubewright/kube';
import { LABELS } from '../api/annotations.ts';
import { isDefaultAccount, isUnchangedAccount } from '../restore/default-account.ts';
import { whyNotElsewhere } from '../restore/why-not-elsewhere.ts';

const TOKEN = 'kubernetes.io/service-account-token';

/** What a controller puts into these it does not put into them again: passwords, keys, data. */
const IRREPLACEABLE = ['Secret', 'PersistentVolumeClaim'];

/** Their controllers make the Secrets again from the objects themselves, and take none that they do not control. */
const MAKE_SECRETS_AGAIN = /^SealedSecret bitnami\.com\//;

/** Why a capture by kind takes no such object; undefined for one that it takes. */
export function whyLeftOut(object: KubeObject): string | undefined {
  const controller = controllerOf(object);
  if (controller !== undefined && isMadeAgain(object, controller)) return `${controller.kind} makes it again`;
  return whyExcluded(object) ?? whyOfItsKind(object);
}

function isMadeAgain({ kind }: KubeObject, controller: OwnerReference): boolean {
  return (
    !IRREPLACEABLE.includes(kind) || MAKE_SECRETS_AGAIN.test(`${controller.kind} ${controller.apiVersion}`)
  );
}

function whyExcluded(object: KubeObject): string | undefined {
  const { labels = {} } = object.metadata;
  if (labels['heritage'] === 'deckhouse') return 'it has the label heritage=deckhouse';
  if (labels[LABELS.exclude] === 'true') return `it has the label ${LABELS.exclude}=true`;
  return object['type'] === TOKEN ? 'a token of a ServiceAccount is never captured' : undefined;
}

const EVERYWHERE = 'each namespace has one';

function whyOfItsKind(object: KubeObject): string | undefined {
  const { kind, metadata } = object;
  switch (kind) {
    case 'ConfigMap':
      return metadata.name === 'kube-root-ca.crt' ? EVERYWHERE : undefined;
    case 'ServiceAccount':
      return isDefaultAccount(object) && isUnchangedAccount(object) ? EVERYWHERE : undefined;
    case 'Endpoints':
    case 'EndpointSlice':
    case 'Service':
      return isWrittenAgain(metadata) ? 'a controller writes it' : undefined;
    default:
      return whyNotElsewhere(object);
  }
}

const MANAGED_BY = ['endpoints.kubernetes.io/managed-by', 'endpointslice.kubernetes.io/managed-by'];
/** Who writes Endpoints and EndpointSlices in a cluster, as labels and field managers have it. */
const WRITERS = [
  'endpoint-controller',
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
];
const SERVERS = ['kube-controller-manager', 'kube-apiserver'];
const ELECTION = 'control-plane.alpha.kubernetes.io/leader';

/** Endpoints of before Kubernetes 1.33 have no such label; of the API server, its Service and what belongs to that. */
function isWrittenAgain({
  labels = {},
  annotations = {},
  managedFields = [],
}: KubeObject['metadata']): boolean {
  if (MANAGED_BY.some((label) => WRITERS.includes(labels[label] ?? '')) || ELECTION in annotations)
    return true;
  return managedFields.length > 0 && managedFields.every(({ manager = '' }) => SERVERS.includes(manager));
}
