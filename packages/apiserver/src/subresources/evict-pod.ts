import { defined, formatTime, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { badRequest, failure, notFound } from '../api-server-error.ts';
import type { CreateHandler, RestContext } from '../rest/rest-context.ts';
import { checkPreconditions, deleteWithoutAdmission } from '../rest/delete-object.ts';
import { deleteOptionsFrom } from '../rest/delete-options.ts';
import { recordUpdate } from '../rest/record-update.ts';
import { objectKey, type StoredObject } from '../storage/stored-object.ts';
import { takeDisruption } from './take-disruption.ts';
import {
  bodyOf,
  maybeObject,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
} from '../objects/read.ts';
import { withCondition } from '../objects/with-condition.ts';
import { changeObject, withField } from '../objects/change-object.ts';

const PODS = { group: '', resource: 'pods' };
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudgets' };

/**
 * Deletes a pod, unless a budget forbids it. In one turn of the event loop: nothing comes between the look at the budget
 * and the deletion.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export const evictPod: CreateHandler = ({ name, namespace }, eviction, { context, dryRun }) => {
  if (name !== eviction.metadata.name) throw badRequest('name in URL does not match name in Eviction object');
  const raw = withDryRun(objectAt(bodyOf(eviction), 'deleteOptions'), dryRun);
  const pod = context.store.collection(PODS.group, PODS.resource).get(objectKey(namespace, name));
  if (pod === undefined) throw notFound(PODS, name);
  if (isGuarded(pod.object)) checkBudget(context, pod.object, stringsAt(raw, 'dryRun').length > 0);
  remove(context, pod, raw);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
};

/** Both the request and its body may set `dryRun`. */
function withDryRun(raw: JsonObject, dryRun: boolean): JsonObject {
  const own = stringsAt(raw, 'dryRun');
  if (own.length === 0) return dryRun ? withField(raw, 'dryRun', ['All']) : raw;
  if (!dryRun || (own.length === 1 && own[0] === 'All')) return raw;
  const why = `Non-matching dry-run options in request and content: [All] and [${own.join(' ')}]`;
  throw failure(500, '', why);
}

/** Budgets do not count pods that have not begun, are over or are being deleted. */
function isGuarded(pod: KubeObject): boolean {
  const phase = stringAt(statusOf(pod), 'phase');
  return pod.metadata.deletionTimestamp === undefined && !['Failed', 'Pending', 'Succeeded'].includes(phase);
}

function checkBudget(context: RestContext, pod: Stored, dryRun: boolean): void {
  const budgets = budgetsFor(context, pod);
  const [budget] = budgets;
  if (budgets.length > 1) {
    const why =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw failure(500, '', why);
  }
  if (budget === undefined || (!isReady(pod) && mayGoUnready(budget.object))) return;
  const now = context.now();
  const taken = takeDisruption(budget.object, pod.metadata.name, now);
  const definition = context.registry.find(BUDGETS.group, 'v1', BUDGETS.resource);
  if (dryRun || definition === undefined) return;
  const writer = { manager: 'kube-apiserver', subresource: 'status', strategy: definition.status ?? {}, now };
  const recorded = recordUpdate(context.registry, definition, budget.object, taken, writer);
  context.store.collection(BUDGETS.group, BUDGETS.resource).put(budget.key, recorded);
}

function budgetsFor({ store }: RestContext, { metadata }: KubeObject): readonly StoredObject[] {
  return store.collection(BUDGETS.group, BUDGETS.resource).entries.filter(({ namespace, object }) => {
    const selector = selectorFromLabelSelector(maybeObject(specOf(object), 'selector'));
    return namespace === metadata.namespace && matchesLabels(selector, metadata.labels);
  });
}

function isReady(pod: KubeObject): boolean {
  return objectsAt(statusOf(pod), 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True',
  );
}

/** An unready pod may be evicted where its budget allows it, or while enough others are ready. */
function mayGoUnready(budget: KubeObject): boolean {
  const status = statusOf(budget);
  const desired = numberAt(status, 'desiredHealthy');
  const enough = desired > 0 && numberAt(status, 'currentHealthy') >= desired;
  return enough || stringAt(specOf(budget), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow';
}

/** Marks the pod with the reason of its end, then deletes it: preconditions are about the pod before the mark. */
function remove(context: RestContext, pod: StoredObject, raw: JsonObject): void {
  const definition = context.registry.find(PODS.group, 'v1', PODS.resource);
  if (definition === undefined) throw notFound(PODS, pod.name);
  const target = { definition, name: pod.name };
  const { uid, resourceVersion } = objectAt(raw, 'preconditions');
  if (stringsAt(raw, 'dryRun').length > 0) {
    deleteWithoutAdmission(context, target, pod, deleteOptionsFrom(raw));
    return;
  }
  checkPreconditions(target, pod, deleteOptionsFrom({ preconditions: defined({ uid, resourceVersion }) }));
  const marked = context.store
    .collection(PODS.group, PODS.resource)
    .put(pod.key, withTarget(pod.object, formatTime(context.now())));
  deleteWithoutAdmission(
    context,
    target,
    marked,
    deleteOptionsFrom({ ...raw, preconditions: defined({ uid }) }),
  );
}

/** The pod as one that is to be disrupted, and why. */
function withTarget(pod: KubeObject, now: string): KubeObject {
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return changeObject(pod, (body) => withField(body, 'status', withCondition(statusOf(pod), target, now)));
}
