import type { JsonObject } from '@kubewright/kube';
import type { TableColumn } from '../model/resource-definition.ts';
import { itemsAt, maybeObject, objectAt, objectsAt, stringAt, stringsAt } from '../objects/read.ts';
import { ageColumn, column, nameColumn } from './column.ts';

const UNSET = '<unset>';

export const webhookConfigurationColumns: readonly TableColumn[] = [
  nameColumn,
  column('Webhooks:integer', (object) => itemsAt(object, 'webhooks').length),
  ageColumn,
];

export const admissionPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  column('Validations:integer', (object) => itemsAt(objectAt(object, 'spec'), 'validations').length),
  column('ParamKind', (object) => {
    const kind = maybeObject(objectAt(object, 'spec'), 'paramKind');
    return kind === undefined ? UNSET : `${stringAt(kind, 'apiVersion')}/${stringAt(kind, 'kind')}`;
  }),
  ageColumn,
];

export const admissionPolicyBindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('PolicyName', (object) => stringAt(objectAt(object, 'spec'), 'policyName')),
  column('ParamRef', (object) => paramRef(objectAt(object, 'spec', 'paramRef'))),
  ageColumn,
];

function paramRef(reference: JsonObject): string {
  const [name, namespace] = [stringAt(reference, 'name'), stringAt(reference, 'namespace')];
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  const selector = maybeObject(reference, 'selector');
  return selector === undefined ? UNSET : goSelector(selector);
}

/** A selector as Go's `String` has it. */
function goSelector(selector: JsonObject): string {
  const labels = objectAt(selector, 'matchLabels');
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}: ${stringAt(labels, key)},`)
    .join('');
  const requirements = objectsAt(selector, 'matchExpressions')
    .map((one) => {
      const values = stringsAt(one, 'values').join(' ');
      return `LabelSelectorRequirement{Key:${stringAt(one, 'key')},Operator:${stringAt(one, 'operator')},Values:[${values}],},`;
    })
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${requirements}},}`;
}
