import { type Json, type JsonObject, type KubeObject, getOwn, isJsonObject } from '@kubewright/kube';
import { bodyOf, stringAt } from '../objects/read.ts';
import { changeObject, withField } from '../objects/change-object.ts';
import type { ScaleMapping } from '../model/resource-definition.ts';

/** `subresources.scale`: where a custom resource keeps its replicas. Paths are `.spec.replicas` and the like. */
export function scaleMapping(scale: JsonObject): ScaleMapping {
  const spec = pathOf(stringAt(scale, 'specReplicasPath'));
  const status = pathOf(stringAt(scale, 'statusReplicasPath'));
  const selector = pathOf(stringAt(scale, 'labelSelectorPath'));
  return {
    specReplicas: (object) => numberAtPath(object, spec),
    statusReplicas: (object) => numberAtPath(object, status),
    selector: (object) => {
      const value = selector.length === 0 ? undefined : valueAtPath(object, selector);
      return typeof value === 'string' ? value : '';
    },
    withReplicas: (object, replicas) => changeObject(object, (body) => withPath(body, spec, replicas)),
  };
}

export function pathOf(text: string): readonly string[] {
  return text.split('.').filter((name) => name !== '');
}

export function valueAtPath(object: KubeObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = bodyOf(object);
  for (const name of path) value = isJsonObject(value) ? getOwn(value, name) : undefined;
  return value;
}

function numberAtPath(object: KubeObject, path: readonly string[]): number {
  const value = valueAtPath(object, path);
  return typeof value === 'number' ? value : 0;
}

function withPath(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return object;
  const inner = getOwn(object, name);
  return withField(
    object,
    name,
    rest.length === 0 ? value : withPath(isJsonObject(inner) ? inner : {}, rest, value),
  );
}
