import type { JsonObject } from '@kubewright/kube';
import { formatSelector } from '../objects/format-selector.ts';
import { itemsAt, maybeObject, maybeString, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn } from './column.ts';
import { loadBalancerText } from './service-columns.ts';
import { nameOf } from '../objects/name-of.ts';

export const networkPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  column('Pod-Selector', (object) => formatSelector(objectAt(object, 'spec', 'podSelector')) || '<none>'),
  ageColumn,
];

const MOST_HOSTS = 3;

/** As upstream counts: a fourth rule means more hosts, whether it names one or not. */
function hostsText(rules: readonly JsonObject[]): string {
  let end = 0;
  const hosts: string[] = [];
  for (; end < rules.length && hosts.length < MOST_HOSTS; end++) {
    const host = stringAt(rules[end] ?? {}, 'host');
    if (host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  const text = hosts.join(',');
  return end < rules.length ? `${text} + ${rules.length - MOST_HOSTS} more...` : text;
}

export const ingressColumns: readonly TableColumn[] = [
  nameColumn,
  column('Class', (object) => maybeString(objectAt(object, 'spec'), 'ingressClassName') ?? '<none>'),
  column('Hosts', (object) => hostsText(objectsAt(objectAt(object, 'spec'), 'rules'))),
  column('Address', loadBalancerText),
  column('Ports', (object) => (itemsAt(objectAt(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80')),
  ageColumn,
];

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

export const ingressClassColumns: readonly TableColumn[] = [
  {
    ...nameColumn,
    value: (object) =>
      `${nameOf(object)}${object.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
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
