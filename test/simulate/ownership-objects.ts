import {
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';

export const NAMESPACE = 'default';

/** Within the time in which nothing may be written any more, an object in sync is looked at so often. */
export const LOOKS_AGAIN = '4m';

const ref = (group: string, version: string, resource: string, kind: string) => ({
  group,
  version,
  resource,
  kind,
  namespaced: true,
});
export const DEPLOYMENTS = ref('apps', 'v1', 'deployments', 'Deployment');
export const COMPOSITIONS = ref('eno.azure.io', 'v1', 'compositions', 'Composition');
export const SLICES = ref('eno.azure.io', 'v1', 'resourceslices', 'ResourceSlice');

export const WEB = { namespace: NAMESPACE, name: 'web' };
export const SLICE = { namespace: NAMESPACE, name: 'shop-1' };

/** The init container that has to go, as `eno` asks for it at last. */
export const GOING = 'base-os-bash';
/** The label that has to go too: no apply is rejected for it, it would just stay. */
export const GOING_LABEL = 'tier';
export const goingPaths = [
  ['f:spec', 'f:template', 'f:spec', 'f:initContainers', `k:{"name":"${GOING}"}`],
  ['f:metadata', 'f:labels', `f:${GOING_LABEL}`],
] as const;

export const object = (json: JsonObject): KubeObject => json as KubeObject;

/** The deployment with these init containers. */
export const deployment = (
  init: readonly JsonObject[],
  { replicas, ...metadata }: { readonly replicas?: number; readonly labels?: JsonObject } = {},
): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...WEB, ...metadata },
  spec: {
    ...defined({ replicas }),
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        ...(init.length === 0 ? {} : { initContainers: init }),
        containers: [{ name: 'web', image: 'web:1' }],
      },
    },
  },
});

/** The value at a path of keys, if all of them are there. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (current, key) => (isJsonObject(current) ? getOwn(current, key) : undefined),
    value,
  );
}

const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : stringifyJson(value ?? null);

const initContainers = (live: KubeObject): readonly Json[] => {
  const items = at(live, 'spec', 'template', 'spec', 'initContainers');
  return isJsonArray(items) ? items : [];
};

/** What is still there of that which has to go. */
export const leftOf = (live: KubeObject): readonly string[] => [
  ...initNames(live).filter((name) => name === GOING),
  ...Object.keys(live.metadata.labels ?? {}).filter((name) => name === GOING_LABEL),
];

export const initNames = (live: KubeObject): readonly string[] =>
  initContainers(live).map((item) => text(at(item, 'name')));

/** What rivals count up: each of these only ever grows, unless somebody undoes what they wrote. */
export function counters(live: KubeObject): Readonly<Record<string, number>> {
  const keep = initContainers(live).find((item) => at(item, 'name') === 'keep');
  const image = at(keep, 'image');
  return {
    replicas: Number(at(live, 'spec', 'replicas') ?? 0),
    'the label': Number(live.metadata.labels?.['scaled'] ?? 0),
    'the note': Number(live.metadata.annotations?.['team/note'] ?? 0),
    'the image of keep': Number(typeof image === 'string' ? image.slice('k:'.length) : 0),
  };
}

/** The state of the first manifest in a slice's status, or of a later one. */
export function stateOf(slice: KubeObject, index = 0): Json | undefined {
  const states = at(slice, 'status', 'resources');
  return isJsonArray(states) ? states[index] : undefined;
}
