import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { objectsAt, stringAt } from '../objects/read.ts';
import { pathOf, valueAtPath } from './scale-mapping.ts';

/** `selectableFields` of a version, by the name that a field selector uses: `spec.color`. */
export function selectableFields(
  version: JsonObject,
): Readonly<Record<string, (object: KubeObject) => string>> {
  return Object.fromEntries(
    objectsAt(version, 'selectableFields').map((field) => {
      const path = pathOf(stringAt(field, 'jsonPath'));
      return [path.join('.'), (object: KubeObject) => printed(valueAtPath(object, path))];
    }),
  );
}

function printed(value: Json | undefined): string {
  if (value === undefined || value === null || typeof value === 'object') return '';
  return String(value);
}
