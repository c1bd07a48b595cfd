import type { Amounts } from './amounts.ts';
import { claimEvaluator } from './claim-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

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
