import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { bodyOf, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageOf } from './human-duration.ts';
import { formatSelector } from '../objects/format-selector.ts';
import { nameOf } from '../objects/name-of.ts';

type Cell = (object: JsonObject, now: Date) => Json;

/** A column that is always shown. `name` may carry its type: `Desired:integer`. */
export function column(name: string, cell: Cell): TableColumn {
  return build(name, 0, cell);
}

/** A column of `-o wide`. */
export function wide(name: string, cell: Cell): TableColumn {
  return build(name, 1, cell);
}

function build(title: string, priority: number, cell: Cell): TableColumn {
  const [name = '', type = 'string'] = title.split(':');
  return {
    name,
    type: type as TableColumn['type'],
    priority,
    value: (object: KubeObject, now: Date) => cell(bodyOf(object), now),
  };
}

const name = (priority: number): TableColumn => ({
  name: 'Name',
  type: 'string',
  format: 'name',
  priority,
  value: nameOf,
});

export const nameColumn: TableColumn = name(0);
export const wideNameColumn: TableColumn = name(1);

export const ageColumn: TableColumn = {
  name: 'Age',
  type: 'string',
  priority: 0,
  value: (object, now) => ageOf(object.metadata.creationTimestamp ?? undefined, now),
};

/** The second column of kinds that have no columns of their own. */
export const createdAtColumn: TableColumn = {
  name: 'Created At',
  type: 'date',
  priority: 0,
  value: (object) => object.metadata.creationTimestamp ?? null,
};

/** Containers and images of the pod template at `path`, for `-o wide`. */
export function containerColumns(...path: readonly string[]): readonly TableColumn[] {
  const joined = (key: string) => (object: JsonObject) =>
    objectsAt(objectAt(object, ...path), 'containers')
      .map((container) => stringAt(container, key))
      .join(',');
  return [wide('Containers', joined('name')), wide('Images', joined('image'))];
}

/** A LabelSelector at `path`, for `-o wide`; `empty` is printed for one that selects everything. */
export function selectorColumn(path: readonly string[], empty: string): TableColumn {
  return wide('Selector', (object) => formatSelector(objectAt(object, ...path)) || empty);
}

export function isBeingDeleted(object: JsonObject): boolean {
  return stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== '';
}
