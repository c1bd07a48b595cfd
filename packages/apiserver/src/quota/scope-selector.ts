import type { KubeObject } from '@kubewright/kube';
import { objectAt, objectsAt, specOf, stringAt, stringsAt } from '../objects/read.ts';

/** One condition on what a quota counts. */
export type ScopeSelector = {
  readonly scope: string;
  readonly operator: string;
  readonly values: readonly string[];
};

/** All scopes of a quota: an object counts that is in each of them. */
export function scopesOf(quota: KubeObject): readonly ScopeSelector[] {
  const spec = specOf(quota);
  return [
    ...stringsAt(spec, 'scopes').map((scope) => ({ scope, operator: 'Exists', values: [] })),
    ...objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions').map((expression) => ({
      scope: stringAt(expression, 'scopeName'),
      operator: stringAt(expression, 'operator'),
      values: stringsAt(expression, 'values'),
    })),
  ];
}

/** Whether one of the `names` that an object goes by satisfies the operator, as labels do. */
export function selectsName({ operator, values }: ScopeSelector, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    default:
      return false;
  }
}
