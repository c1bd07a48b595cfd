import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { valueAt } from '../../kit/testing/value-at.ts';

/** A container, as small as a server takes it. */
export function container(name: string, image: string, more: JsonObject = {}): JsonObject {
  return { name, image, ...more };
}

type PodTemplate = {
  readonly init?: readonly JsonObject[];
  readonly containers?: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
  readonly pod?: JsonObject;
};

/** A pod template with these containers. */
export function template(app: string, { init, containers, volumes, pod }: PodTemplate): JsonObject {
  return {
    metadata: { labels: { app } },
    spec: {
      ...(init === undefined ? {} : { initContainers: init }),
      containers: containers ?? [container('web', 'nginx:1')],
      ...(volumes === undefined ? {} : { volumes }),
      ...pod,
    },
  };
}

/** A Deployment with these containers. `spec` is merged over the rest. */
export function deployment(
  name: string,
  parts: PodTemplate & { readonly labels?: Readonly<Record<string, string>> } = {},
  spec: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...(parts.labels === undefined ? {} : { labels: parts.labels }) },
    spec: { selector: { matchLabels: { app: name } }, template: template(name, parts), ...spec },
  };
}

/** A ConfigMap. Without `data` the field is absent. */
export function configMap(
  name: string,
  data?: Readonly<Record<string, string>>,
  metadata: JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    ...(data === undefined ? {} : { data }),
  };
}

/** Names of the items of a list. */
export function names(object: KubeObject, path: string): readonly Json[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? (value as readonly JsonObject[]).map((item) => item['name'] ?? null) : [];
}

/** The fieldsV1 of one manager's entry, or undefined. */
export function fieldsOf(object: KubeObject, manager: string, operation = 'Update'): JsonObject | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === '',
  )?.fieldsV1;
}

/** The fieldsV1 at a path of elements, or undefined. */
export function fieldsAt(fields: JsonObject | undefined, path: readonly string[]): JsonObject | undefined {
  return path.reduce<JsonObject | undefined>((node, step) => node?.[step] as JsonObject | undefined, fields);
}

/** fieldsV1 without what is at a path of elements. */
export function fieldsWithout(
  fields: JsonObject | undefined,
  [step = '', ...rest]: readonly string[],
): JsonObject {
  const { [step]: child, ...others } = fields ?? {};
  if (rest.length === 0) return others;
  return { ...others, [step]: fieldsWithout(child as JsonObject, rest) };
}
