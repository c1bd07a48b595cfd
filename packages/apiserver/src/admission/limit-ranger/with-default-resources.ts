import {
  compareText,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  setOwn,
} from '@kubewright/kube';
import { metadataOf, objectAt, objectsAt, specOf, stringAt } from '../../objects/read.ts';
import { changeObject, inField, withField } from '../../objects/change-object.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

type Defaults = { readonly requests: JsonObject; readonly limits: JsonObject };

/** A pod with a LimitRange's defaults for containers without requests; an annotation lists them. */
export function withDefaultResources(pod: KubeObject, range: KubeObject): KubeObject {
  const defaults = defaultsOf(range);
  const notes: string[] = [];
  const filled = changeObject(
    pod,
    inField('spec', (spec) =>
      withContainers(withContainers(spec, 'containers', 'container'), 'initContainers', 'init container'),
    ),
  );
  return notes.length === 0 ? pod : annotated(filled, `LimitRanger plugin set: ${notes.join('; ')}`);

  function withContainers(spec: JsonObject, key: string, what: string): JsonObject {
    const containers = objectsAt(spec, key);
    const next = containers.map((container) => withResources(container, what));
    return next.some((container, index) => container !== containers[index])
      ? withField(spec, key, next)
      : spec;
  }

  function withResources(container: JsonObject, what: string): JsonObject {
    const note = (added: readonly string[], which: string): void => {
      const names = [...added].sort(compareText).join(', ');
      if (added.length > 0) notes.push(`${names} ${which} for ${what} ${stringAt(container, 'name')}`);
    };
    const resources = objectAt(container, 'resources');
    const [requests, addedRequests] = filledFrom(objectAt(resources, 'requests'), defaults.requests);
    const [limits, addedLimits] = filledFrom(objectAt(resources, 'limits'), defaults.limits);
    note(addedRequests, 'request');
    note(addedLimits, 'limit');
    if (addedRequests.length + addedLimits.length === 0) return container;
    const withLimits = addedLimits.length === 0 ? resources : withField(resources, 'limits', limits);
    const whole = addedRequests.length === 0 ? withLimits : withField(withLimits, 'requests', requests);
    return withField(container, 'resources', whole);
  }
}

function defaultsOf(range: KubeObject): Defaults {
  const [requests, limits]: [Record<string, Json>, Record<string, Json>] = [{}, {}];
  for (const limit of objectsAt(specOf(range), 'limits')) {
    if (stringAt(limit, 'type') !== 'Container') continue;
    assign(requests, objectAt(limit, 'defaultRequest'));
    assign(limits, objectAt(limit, 'default'));
  }
  return { requests, limits };
}

function assign(target: Record<string, Json>, source: JsonObject): void {
  for (const [name, amount] of Object.entries(source)) setOwn(target, name, amount);
}

/** `own` with the `defaults` for names that it lacks, and these names. */
function filledFrom(own: JsonObject, defaults: JsonObject): readonly [JsonObject, readonly string[]] {
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(own, name));
  if (missing.length === 0) return [own, missing];
  const filled: Record<string, Json> = {};
  assign(filled, own);
  for (const name of missing) setOwn(filled, name, getOwn(defaults, name) ?? null);
  return [filled, missing];
}

function annotated(pod: KubeObject, text: string): KubeObject {
  const annotations = getOwn(metadataOf(pod), 'annotations');
  const next = withField(isJsonObject(annotations) ? annotations : {}, ANNOTATION, text);
  return changeObject(
    pod,
    inField('metadata', (metadata) => withField(metadata, 'annotations', next)),
  );
}
