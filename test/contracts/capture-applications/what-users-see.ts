import type { Client, ResourceRef } from '@kubewright/client';
import {
  appsv1,
  authorizationv1,
  autoscalingv2,
  batchv1,
  corev1,
  discoveryv1,
  isJsonArray,
  type Json,
  policyv1,
  type Stored,
} from '@kubewright/kube';
import { at, textAt } from '../../support/at.ts';
import { APPLICATIONS, KUSTOMIZATIONS, WIDGETS } from './foreign-kinds.ts';

type Place = { readonly admin: Client; readonly namespace: string };

/** What is said of an object; its name comes before. */
type Say = (object: Json, place: Place) => string | Promise<string>;

const count = (value: Json | undefined): string => JSON.stringify(value ?? 0);
const isSuspended = (object: Json): boolean => at(object, 'spec', 'suspend') === true;

const ready: Say = (object) =>
  `${count(at(object, 'status', 'readyReplicas'))} of ${count(at(object, 'spec', 'replicas'))} ready`;

/** A namespace by its own name, or as this one. */
const place = (name: string, namespace: string): string => (name === namespace ? 'this namespace' : name);

const endpoints: Say = async (object, { admin, namespace }) => {
  const labelSelector = `kubernetes.io/service-name=${textAt(object, 'metadata', 'name')}`;
  const { items } = await admin.list(discoveryv1.endpointslices, { namespace, labelSelector });
  const addresses = items.flatMap((slice) => slice.endpoints ?? []);
  return `${addresses.filter(({ conditions }) => conditions?.ready === true).length} endpoints`;
};

const scales: Say = (object) => {
  const conditions = at(object, 'status', 'conditions');
  const able = isJsonArray(conditions) && conditions.find((one) => at(one, 'type') === 'AbleToScale');
  const target = `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`;
  return `scales ${target}: ${able ? textAt(able, 'status') : 'unknown'}`;
};

const RIGHTS = [
  { verb: 'update', resource: 'configmaps' },
  { verb: 'get', resource: 'secrets' },
];

const rights: Say = async (object, { admin, namespace }) => {
  const user = `system:serviceaccount:${namespace}:${textAt(object, 'metadata', 'name')}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const allowed = RIGHTS.map(async ({ verb, resource }) => {
    const { status } = await admin.create(authorizationv1.subjectaccessreviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user, groups, resourceAttributes: { verb, resource, namespace } },
    });
    return status?.allowed === true ? [`may ${verb} ${resource}`] : [];
  });
  const secrets = at(object, 'imagePullSecrets');
  const pulls = isJsonArray(secrets) ? secrets.map((one) => `pulls with ${textAt(one, 'name')}`) : [];
  return (
    [...(await Promise.all(allowed)).flat(), ...pulls].join(', ') ||
    (textAt(object, 'metadata', 'name') === 'default' ? '' : 'may nothing')
  );
};

const certificate: Say = (object) =>
  textAt(object, 'type') === 'kubernetes.io/tls' && at(object, 'data', 'ca.crt') !== undefined
    ? `of authority ${Buffer.from(textAt(object, 'data', 'ca.crt'), 'base64').toString()}`
    : '';

const KINDS: readonly (readonly [ResourceRef, Say])[] = [
  [appsv1.deployments, ready],
  [appsv1.statefulsets, ready],
  [corev1.services, endpoints],
  [corev1.serviceaccounts, rights],
  [corev1.secrets, certificate],
  [corev1.persistentvolumeclaims, (object) => textAt(object, 'status', 'phase')],
  [
    corev1.resourcequotas,
    (object) =>
      `${at(object, 'status', 'used') === undefined ? 'does not count' : 'counts'}, ${textAt(object, 'spec', 'hard', 'pods')} pods at most`,
  ],
  [autoscalingv2.horizontalpodautoscalers, scales],
  [
    policyv1.poddisruptionbudgets,
    (object) => `${count(at(object, 'status', 'disruptionsAllowed'))} pods may be evicted`,
  ],
  [
    batchv1.jobs,
    (object) => `${count(at(object, 'status', 'succeeded'))} succeeded, suspended: ${isSuspended(object)}`,
  ],
  [
    batchv1.cronjobs,
    (object) => `at ${textAt(object, 'spec', 'schedule')}, suspended: ${isSuspended(object)}`,
  ],
  [
    KUSTOMIZATIONS,
    (object, { namespace }) =>
      `to ${place(textAt(object, 'spec', 'targetNamespace'), namespace)}, suspended: ${isSuspended(object)}, applied: ${String(at(object, 'status', 'inventory') !== undefined)}`,
  ],
  [
    APPLICATIONS,
    (object, { namespace }) =>
      `to ${place(textAt(object, 'spec', 'destination', 'namespace'), namespace)}, automated: ${String(at(object, 'spec', 'syncPolicy', 'automated') !== undefined)}`,
  ],
  [WIDGETS, (object) => `held by ${textAt(object, 'metadata', 'finalizers', 0) || 'nobody'}`],
];

/** Lines on the state of an application, as kubectl would show it; none names the namespace itself. */
export async function whatUsersSee(at: Place): Promise<readonly string[]> {
  const kinds = await Promise.all(KINDS.map(([ref, say]) => linesOf(ref, say, at)));
  return [...(await namespaceLines(at)), ...kinds.flat()].toSorted();
}

async function linesOf(ref: ResourceRef, say: Say, at: Place): Promise<readonly string[]> {
  const { items } = await at.admin.list(ref, { namespace: at.namespace });
  const lines = items.map(async (item) => [
    `${ref.kind}/${item.metadata.name}`,
    await say(item as Stored as Json, at),
  ]);
  return (await Promise.all(lines)).flatMap(([title = '', text = '']) =>
    text === '' ? [] : [`${title}: ${text}`],
  );
}

/** What people have written on the namespace. */
async function namespaceLines({ admin, namespace }: Place): Promise<readonly string[]> {
  const { metadata } = await admin.get(corev1.namespaces, { name: namespace });
  const marks = Object.entries({ ...metadata.labels, ...metadata.annotations });
  return marks.flatMap(([key, value]) =>
    key === 'kubernetes.io/metadata.name' ? [] : [`Namespace: ${key}=${value}`],
  );
}
