import { compareText, type JsonObject, type KubeObject } from '@kubewright/kube';
import { qosClass } from '../pods/qos-class.ts';
import { isExtended, isHugePages, isNative } from '../pods/validate-resources.ts';
import { has, itemsAt, numberAt, objectAt, objectsAt, specOf, statusOf, stringAt } from '../objects/read.ts';
import { addAmounts, type Amounts, amountsIn } from './amounts.ts';
import type { Evaluator } from './evaluator.ts';
import { podResources } from './pod-resources.ts';
import { type ScopeSelector, selectsName } from './scope-selector.ts';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const NAMES = [
  'count/pods',
  'pods',
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
];
/** Where a quota counts these, every container must set them. */
const REQUIRED = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);
const DEVICES = 'deviceclass.resource.kubernetes.io/';

/** Pods, as long as they are not over, and what they take. */
export const podEvaluator: Evaluator = {
  matching: (hard) => hard.filter((name) => NAMES.includes(name) || isPrefixed(name)),
  handles({ subresource, object, old }) {
    if (subresource === 'resize') return old !== undefined;
    if (subresource !== '') return false;
    return old === undefined || hasDeadline(old) !== hasDeadline(object);
  },
  inScope,
  complaint,
  usage(pod, now) {
    const counted: Amounts = new Map([['count/pods', '1']]);
    if (isTimedOut(pod, now)) return counted;
    return addAmounts(counted, computeUsage(podResources(pod, 'requests'), podResources(pod, 'limits')));
  },
};

function isPrefixed(name: string): boolean {
  if (isHugePages(name) || name.startsWith('requests.hugepages-')) return true;
  return name.startsWith('requests.') && (!isNative(name) || name.startsWith(`requests.${DEVICES}`));
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const used = new Map([['pods', '1']]);
  for (const [name, amount] of requests) {
    const plain = COMPUTE.includes(name) || isHugePages(name);
    if (plain) used.set(name, amount);
    if (plain || isExtended(name) || name.startsWith(DEVICES)) used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

/** Done, or still there after the time in which it should have ended: its node may be lost. */
function isTimedOut(pod: KubeObject, now: number): boolean {
  const phase = stringAt(statusOf(pod), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = pod.metadata;
  if (deletionTimestamp === undefined || grace === undefined) return false;
  return now > Date.parse(deletionTimestamp) + grace * 1000;
}

/** Whether the pod ends by itself (the scope `Terminating`). */
function hasDeadline(pod: KubeObject): boolean {
  return has(specOf(pod), 'activeDeadlineSeconds') && numberAt(specOf(pod), 'activeDeadlineSeconds') >= 0;
}

function inScope(selector: ScopeSelector, pod: KubeObject): boolean {
  switch (selector.scope) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const name = stringAt(specOf(pod), 'priorityClassName');
      return selectsName(selector, name === '' ? [] : [name]);
    }
    case 'CrossNamespacePodAffinity':
      return looksElsewhere(pod);
    default:
      return false;
  }
}

function isBestEffort(pod: KubeObject): boolean {
  return (stringAt(statusOf(pod), 'qosClass') || qosClass(specOf(pod))) === 'BestEffort';
}

function looksElsewhere(pod: KubeObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const affinity = objectAt(specOf(pod), 'affinity', kind);
    const preferred = objectsAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...objectsAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...preferred.map((one) => objectAt(one, 'podAffinityTerm')),
    ].some((term) => itemsAt(term, 'namespaces').length > 0 || has(term, 'namespaceSelector'));
  });
}

/** A pod with pod-level resources needs none for its containers. */
function complaint(names: readonly string[], pod: KubeObject): string | undefined {
  const spec = specOf(pod);
  const whole = objectAt(spec, 'resources');
  const named = [...Object.keys(objectAt(whole, 'requests')), ...Object.keys(objectAt(whole, 'limits'))];
  if (named.some((name) => name === 'cpu' || name === 'memory' || isHugePages(name))) return undefined;
  const required = names.filter((name) => REQUIRED.includes(name)).sort(compareText);
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const missing = required.flatMap((name) => {
    const without = containers.filter((container) => !containerUsage(container).has(name));
    const list = [...new Set(without.map((container) => stringAt(container, 'name')))].sort(compareText);
    return list.length === 0 ? [] : [`${name} for: ${list.join(',')}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
}

function containerUsage(container: JsonObject): Amounts {
  const resources = objectAt(container, 'resources');
  return computeUsage(amountsIn(objectAt(resources, 'requests')), amountsIn(objectAt(resources, 'limits')));
}
