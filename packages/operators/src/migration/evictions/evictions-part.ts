import { ignoreNotFound } from '@kubewright/client';
import { corev1, getOwn, isJsonArray, isJsonObject, type KubeObject } from '@kubewright/kube';
import {
  type AdmissionRequest,
  type AdmissionResponse,
  admissionWebhook,
  allowed,
  type Manager,
  type Webhook,
  withWarnings,
} from '@kubewright/runtime';
import type { OperatorPart } from '../../kit/operator.ts';
import { GROUP, STATEFUL_MIGRATIONS } from '../api.ts';
import { beginMigration } from './begin-migration.ts';
import { decideEviction, type EvictionDecision } from './decide-eviction.ts';
import { queueConfigOf } from './migration-of.ts';

const EVICTIONS_PATH = '/validate-evictions';

/**
 * Every eviction of the cluster; which pods are migratable only their annotations say. While this webhook is unavailable,
 * all pods are evicted: a node must be drained even if the operator is gone. A PodDisruptionBudget can hold them.
 */
export const EVICTIONS: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'kubewright-migration-evictions' },
  webhooks: [
    {
      name: `evictions.${GROUP}`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
      timeoutSeconds: 10,
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['pods/eviction'],
          scope: 'Namespaced',
        },
      ],
      clientConfig: { service: { path: EVICTIONS_PATH } },
    },
  ],
};

/** Only it creates migrations. Every replica does: two of them name the same one. */
export const evictionsPart: OperatorPart = {
  account: 'migration-evictions',
  rules: [
    { apiGroups: [GROUP], resources: ['statefulmigrations'], verbs: ['list', 'create'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
  ],
  writesOnStandby: true,
  add: (manager) => manager.webhookServer().register(EVICTIONS_PATH, evictionWebhook(manager)),
};

function evictionWebhook({ client, clock }: Pick<Manager, 'client' | 'clock'>): Webhook {
  return admissionWebhook(async (request) => {
    const { namespace, name } = request;
    const pod = await ignoreNotFound(client.get(corev1.pods, { namespace, name }));
    if (pod === undefined || queueConfigOf(pod) === undefined) return allowed();
    const [{ items: nodes }, { items: migrations }] = await Promise.all([
      client.list(corev1.nodes),
      client.list(STATEFUL_MIGRATIONS),
    ]);
    const decision = decideEviction({ pod, nodes, migrations }, new Date(clock.now()));
    if (isDryRun(request)) return rehearsed(decision);
    if (decision.type === 'move') await beginMigration(client, decision.migration);
    return responseTo(decision);
  });
}

/** kubectl sends `dryRun` in the body. */
function isDryRun({ dryRun, object }: AdmissionRequest): boolean {
  const options = object === undefined ? undefined : getOwn(object, 'deleteOptions');
  const own = isJsonObject(options) ? getOwn(options, 'dryRun') : undefined;
  return dryRun || (isJsonArray(own) && own.length > 0);
}

/** Nothing is begun, so nobody has to wait. */
function rehearsed(decision: EvictionDecision): AdmissionResponse {
  return decision.type === 'allow' ? allowed() : withWarnings(allowed(), decision.message);
}

/** kubectl drain tries again after 429, and is done with a pod after 404. */
function responseTo(decision: EvictionDecision): AdmissionResponse {
  switch (decision.type) {
    case 'allow':
      return allowed();
    case 'moved':
      return { allowed: false, result: { code: 404, reason: 'NotFound', message: decision.message } };
    default:
      return { allowed: false, result: { code: 429, reason: 'TooManyRequests', message: decision.message } };
  }
}
