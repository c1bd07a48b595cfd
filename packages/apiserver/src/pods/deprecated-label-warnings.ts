import type { JsonObject } from '@kubewright/kube';
import { isValidLabelValue } from '@kubewright/kube/validation';
import { entriesAt, has, objectAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';

const DEPRECATED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

function deprecation(label: string): string | undefined {
  return Object.hasOwn(DEPRECATED, label) ? DEPRECATED[label] : undefined;
}

/** Old node labels in selectors, affinity and spread constraints. */
export function deprecatedLabelWarnings(spec: JsonObject, path: string): readonly string[] {
  const selected = entriesAt(spec, 'nodeSelector').flatMap(([key]) => {
    const message = deprecation(key);
    return message === undefined ? [] : [`${path}.nodeSelector[${key}]: ${message}`];
  });
  return [...selected, ...nodeAffinityWarnings(spec, path), ...spreadWarnings(spec, path)];
}

function nodeAffinityWarnings(spec: JsonObject, path: string): readonly string[] {
  const affinity = objectAt(spec, 'affinity', 'nodeAffinity');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...objectsAt(objectAt(affinity, required), 'nodeSelectorTerms').flatMap((term, index) =>
      termWarnings(term, `${at}.${required}.nodeSelectorTerms[${index}]`, false),
    ),
    ...objectsAt(affinity, preferred).flatMap((term, index) =>
      termWarnings(objectAt(term, 'preference'), `${at}.${preferred}[${index}].preference`, true),
    ),
  ];
}

function termWarnings(term: JsonObject, path: string, values: boolean): readonly string[] {
  return objectsAt(term, 'matchExpressions').flatMap((expression, index) => {
    const key = stringAt(expression, 'key');
    const message = deprecation(key);
    const at = `${path}.matchExpressions[${index}]`;
    return [
      ...(message === undefined ? [] : [`${at}.key: ${key} is ${message}`]),
      ...(values ? valueWarnings(expression, at) : []),
    ];
  });
}

function valueWarnings(expression: JsonObject, path: string): readonly string[] {
  return stringsAt(expression, 'values').flatMap((value, index) =>
    isValidLabelValue(value).map((message) => `${path}.values[${index}]: ${value} is invalid, ${message}`),
  );
}

const NO_SELECTOR = 'a null labelSelector results in matching no pod';

function spreadWarnings(spec: JsonObject, path: string): readonly string[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const key = stringAt(constraint, 'topologyKey');
    const message = deprecation(key);
    const at = `${path}.topologySpreadConstraints[${index}]`;
    return [
      ...(message === undefined ? [] : [`${at}.topologyKey: ${key} is ${message}`]),
      ...(has(constraint, 'labelSelector') ? [] : [`${at}.labelSelector: ${NO_SELECTOR}`]),
    ];
  });
}

/** Pod (anti-)affinity without a selector selects nothing. */
export function affinityWarnings(spec: JsonObject, path: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(spec, 'affinity', kind);
    const at = `${path}.affinity.${kind}`;
    const missing = (term: JsonObject, where: string): readonly string[] =>
      has(term, 'labelSelector') ? [] : [`${where}.labelSelector: ${NO_SELECTOR}`];
    return [
      ...objectsAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution').flatMap((term, index) =>
        missing(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
      ),
      ...objectsAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').flatMap((term, index) =>
        missing(
          objectAt(term, 'podAffinityTerm'),
          `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`,
        ),
      ),
    ];
  });
}
