import type { JsonObject } from '@kubewright/kube';
import { type LabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { objectAt, objectsAt, stringAt, stringsAt } from '../../objects/read.ts';

/** Some operations on some resources. */
export type Rule = {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`; `*` means all, on either side of the slash. */
  readonly resources: readonly string[];
  readonly scope: string;
  /** Of objects; empty: all. Rules of webhooks name none. */
  readonly names: readonly string[];
};

/** Which writes a webhook, a policy or a binding is about. */
export type Criteria = {
  readonly rules: readonly Rule[];
  /** Writes that the rules match are left out again. */
  readonly excluded: readonly Rule[];
  /** Also about writes through other versions of the resources of the rules. */
  readonly equivalent: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
};

/** Of a defaulted object with these fields, whose rules stand under `rules`. */
export function readCriteria(object: JsonObject, rules: 'rules' | 'resourceRules'): Criteria {
  return {
    rules: objectsAt(object, rules).map(readRule),
    excluded: objectsAt(object, 'excludeResourceRules').map(readRule),
    equivalent: stringAt(object, 'matchPolicy') !== 'Exact',
    namespaceSelector: selectorFromLabelSelector(objectAt(object, 'namespaceSelector')),
    objectSelector: selectorFromLabelSelector(objectAt(object, 'objectSelector')),
  };
}

function readRule(rule: JsonObject): Rule {
  return {
    operations: stringsAt(rule, 'operations'),
    groups: stringsAt(rule, 'apiGroups'),
    versions: stringsAt(rule, 'apiVersions'),
    resources: stringsAt(rule, 'resources'),
    scope: stringAt(rule, 'scope'),
    names: stringsAt(rule, 'resourceNames'),
  };
}
