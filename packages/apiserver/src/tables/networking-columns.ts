import { formatSelector } from '../kinds/shared/format-selector.ts';
import { maybeObject, maybeString, objectAt, stringAt } from '../kinds/shared/read.ts';
import type { TableColumn } from '../registry/resource-definition.ts';
import { ageColumn, column, nameColumn } from './column.ts';

export const networkPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  column('Pod-Selector', (object) => formatSelector(objectAt(object, 'spec', 'podSelector')) || '<none>'),
  ageColumn,
];

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

export const ingressClassColumns: readonly TableColumn[] = [
  {
    ...nameColumn,
    value: ({ metadata }) =>
      `${metadata.name ?? ''}${metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
  },
  column('Controller', (object) => stringAt(objectAt(object, 'spec'), 'controller')),
  column('Parameters', (object) => {
    const parameters = maybeObject(objectAt(object, 'spec'), 'parameters');
    if (parameters === undefined) return '<none>';
    const group = maybeString(parameters, 'apiGroup');
    const kind = stringAt(parameters, 'kind');
    return `${group === undefined ? kind : `${kind}.${group}`}/${stringAt(parameters, 'name')}`;
  }),
  ageColumn,
];
