import type { KubeObject } from '@kubewright/kube';
import type { Amounts } from './amounts.ts';
import { claimEvaluator } from './claim-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import type { ScopeSelector } from './quota-scopes.ts';
import { serviceEvaluator } from './service-evaluator.ts';

/** A change of an object as a quota sees it: `old` is absent where it is made. */
export type CountedWrite = {
  readonly subresource: string;
  readonly object: KubeObject;
  readonly old?: KubeObject | undefined;
};

/** How objects of one resource count against quotas (`quota.Evaluator`). Pure. */
export type Evaluator = {
  /** Those of `names` that this resource counts against. */
  readonly matching: (names: readonly string[]) => readonly string[];
  /** Whether such a write can change what is used. */
  readonly handles: (write: CountedWrite) => boolean;
  readonly inScope: (selector: ScopeSelector, object: KubeObject) => boolean;
  /** What is wrong with an object that a quota of `names` applies to; undefined where it may be counted. */
  readonly complaint: (names: readonly string[], object: KubeObject) => string | undefined;
  /** What the object uses; `now` in milliseconds. */
  readonly usage: (object: KubeObject, now: number) => Amounts;
};

/** Names under which the objects of a resource were counted before there was `count/…`. */
export const ALIASES: readonly string[] = [
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
];

/** Never counted: they are no objects, or too many. */
const IGNORED = new Set([
  'bindings.',
  'componentstatuses.',
  'events.',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
]);

/** How a resource counts; undefined where it never does. */
export function evaluatorFor(group: string, resource: string): Evaluator | undefined {
  if (IGNORED.has(`${resource}.${group}`)) return undefined;
  if (group !== '') return objectCount([`count/${resource}.${group}`]);
  switch (resource) {
    case 'pods':
      return podEvaluator;
    case 'services':
      return serviceEvaluator;
    case 'persistentvolumeclaims':
      return claimEvaluator;
    default:
      return objectCount([`count/${resource}`, ...(ALIASES.includes(resource) ? [resource] : [])]);
  }
}

function objectCount(names: readonly string[]): Evaluator {
  const one: Amounts = new Map(names.map((name) => [name, '1']));
  return {
    matching: (hard) => hard.filter((name) => names.includes(name)),
    handles: ({ subresource, old }) => subresource === '' && old === undefined,
    inScope: () => false,
    complaint: () => undefined,
    usage: () => one,
  };
}
