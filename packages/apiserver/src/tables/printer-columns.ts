import {
  evaluateJsonPath,
  type Json,
  type JsonObject,
  isJsonArray,
  isJsonObject,
  parseJsonPath,
  stringifyJson,
} from '@kubewright/kube';
import { bodyOf, numberAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { createdAtColumn, nameColumn } from './column.ts';
import { ageOf } from './human-duration.ts';

/** Age, the one column of a CRD that declares none. */
const AGE: TableColumn = {
  ...createdAtColumn,
  name: 'Age',
  value: (object, now) => ageOf(object.metadata.creationTimestamp ?? undefined, now),
};

/**
 * The columns of a custom resource: its name, then `additionalPrinterColumns` of the version, then nothing else.
 * A version without any shows its age.
 */
export function printerColumns(additional: readonly JsonObject[]): readonly TableColumn[] {
  return [nameColumn, ...(additional.length === 0 ? [AGE] : additional.map(printerColumn))];
}

function printerColumn(declared: JsonObject): TableColumn {
  const type = stringAt(declared, 'type') as TableColumn['type'];
  const text = stringAt(declared, 'jsonPath');
  const path = parseJsonPath(text);
  const format = stringAt(declared, 'format');
  return {
    name: stringAt(declared, 'name'),
    type,
    ...(format === '' ? {} : { format }),
    description:
      stringAt(declared, 'description') || `Custom resource definition column (in JSONPath format): ${text}`,
    priority: numberAt(declared, 'priority'),
    value: (object, now) => {
      const value = path === undefined ? undefined : evaluateJsonPath(path, bodyOf(object))[0];
      return value === undefined ? null : cell(type, value, now);
    },
  };
}

function cell(type: TableColumn['type'], value: Json, now: Date): Json {
  switch (type) {
    case 'string':
      return printed(value);
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null;
    case 'integer':
      return typeof value === 'bigint' ? value : numeric(value, Math.trunc);
    case 'number':
      return typeof value === 'bigint' ? Number(value) : numeric(value, (n) => n);
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
  }
}

function numeric(value: Json, convert: (n: number) => number): Json {
  return typeof value === 'number' ? convert(value) : null;
}

function dateCell(value: string, now: Date): string {
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
}

/** Objects and lists print as JSON, scalars as they are. */
function printed(value: Json): Json {
  if (value === null) return '<nil>';
  return isJsonObject(value) || isJsonArray(value) ? stringifyJson(value) : String(value);
}
