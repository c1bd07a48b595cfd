import { getOwn, isJsonArray, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import { objectAt, textAt } from '../annotations/read-annotation.ts';
import { statusOf } from './parent-status.ts';

/** What a tool applies at the moment, as its own object says. */
export type ToolRevision = {
  /** For people: `main@sha1:…`, a version of a chart. */
  readonly text: string;
  /** It has not been applied as a whole yet: what the tool writes now comes from it. */
  readonly isNew: boolean;
};

const LONGEST = 200;

/** By kind: the revision that the object of a tool names; undefined: none is known yet. */
const READERS: Readonly<Record<string, (object: KubeObject) => ToolRevision | undefined>> = {
  Kustomization: ofKustomization,
  HelmRelease: ofHelmRelease,
  Application: ofApplication,
  Secret: ofRelease,
};

export function toolRevision(object: KubeObject): ToolRevision | undefined {
  const read = Object.hasOwn(READERS, object.kind) ? READERS[object.kind] : undefined;
  const revision = read?.(object);
  return revision && { ...revision, text: revision.text.slice(0, LONGEST) };
}

/** kustomize-controller writes the revision that it is about to apply into the status, and afterwards that it has. */
function ofKustomization(object: KubeObject): ToolRevision | undefined {
  const status = statusOf(object);
  const text = textAt(status, 'lastAttemptedRevision') ?? textAt(status, 'lastAppliedRevision');
  if (text === undefined) return undefined;
  const isApplied = text === textAt(status, 'lastAppliedRevision');
  return { text, isNew: !isApplied || isChanged(object) };
}

/** helm-controller does the same; what it has deployed is the first entry of the history. */
function ofHelmRelease(object: KubeObject): ToolRevision | undefined {
  const status = statusOf(object);
  const text = textAt(status, 'lastAttemptedRevision');
  if (text === undefined) return undefined;
  const [latest] = objectsAt(status, 'history');
  const isDeployed =
    latest !== undefined &&
    textAt(latest, 'status') === 'deployed' &&
    textAt(latest, 'chartVersion') === text &&
    textAt(latest, 'configDigest') === textAt(status, 'lastAttemptedConfigDigest');
  return { text, isNew: !isDeployed || isChanged(object) };
}

/** The operation that Argo CD carries out names the revision before the first write; the history has those that are done. */
function ofApplication(object: KubeObject): ToolRevision | undefined {
  const status = statusOf(object);
  const state = objectAt(status, 'operationState');
  const isRunning = textAt(state, 'phase') === 'Running';
  const asked = revisionsOf(objectAt(objectAt(state, 'operation'), 'sync'));
  const text =
    (isRunning ? asked : undefined) ??
    revisionsOf(objectAt(state, 'syncResult')) ??
    revisionsOf(objectAt(status, 'sync'));
  if (text === undefined) return undefined;
  const done = revisionsOf(objectsAt(status, 'history').at(-1) ?? {});
  return { text, isNew: isRunning && text !== done };
}

/** An Application with several sources has a revision of each. */
function revisionsOf(from: JsonObject): string | undefined {
  const all = getOwn(from, 'revisions');
  const texts = isJsonArray(all) ? all.filter((one) => typeof one === 'string') : [];
  const text = texts.length > 0 ? texts.join(', ') : (textAt(from, 'revision') ?? '');
  return text === '' ? undefined : text;
}

/** Helm stores a Secret for each revision before it writes anything of it. */
function ofRelease({ metadata: { labels = {} } }: KubeObject): ToolRevision | undefined {
  const version = textAt(labels, 'version');
  if (version === undefined) return undefined;
  return { text: `revision ${version}`, isNew: textAt(labels, 'status')?.startsWith('pending-') === true };
}

/** Somebody has changed its spec, and the tool has not said that it has followed. */
function isChanged(object: KubeObject): boolean {
  const observed = getOwn(statusOf(object), 'observedGeneration');
  return typeof observed === 'number' && observed !== object.metadata.generation;
}

function objectsAt(from: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(from, key);
  return isJsonArray(value) ? value.filter((one) => isJsonObject(one)) : [];
}
