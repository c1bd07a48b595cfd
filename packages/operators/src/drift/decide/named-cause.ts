import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
} from '@kubewright/kube';
import { memberOf, readAnnotation } from '../annotations/read-annotation.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { statusAt, statusOf, conditionsIn, timeOf } from './parent-status.ts';
import type { Facts, Review } from './review.ts';
import { profileOf } from '../profiles/profiles.ts';
import {
  type AcceptedContent,
  GONE,
  isKnownKind,
  isNamedByServer,
  isSameContent,
  isSameKind,
} from './accepted-content.ts';
import { isAnnounced } from './is-announced.ts';
import { changedPaths } from './changed-fields.ts';
import { entryOf } from './content-of.ts';

/** Why a change is expected although nobody has changed the parent. */
export type Cause =
  | 'Due'
  | 'Announced'
  | 'Repeated'
  | 'FromTemplate'
  | 'Finished'
  | 'Temporary'
  | 'ByProfile';

/** A due time counts for so long: what a controller does late is not done for ever. */
const DUE_MS = 3_600_000;

/** The cause of a change by the controller of a parent that is reconciled; undefined: none can be named. Pure. */
export function namedCause(review: Review, parent: KubeObject, facts: Facts, now: Date): Cause | undefined {
  if (isDue(review, parent, now)) return 'Due';
  if (isAnnounced(review, parent)) return 'Announced';
  const { contents = [] } = facts;
  if (review.operation === 'CREATE') return causeOfCreate(review, parent, contents);
  return review.operation === 'DELETE'
    ? causeOfDelete(review, parent, contents)
    : causeOfUpdate(review, parent);
}

/** All that an update changes is what the controller changes by itself. */
function causeOfUpdate({ old, object }: Review, parent: KubeObject): Cause | undefined {
  const { changing = [] } = profileOf(parent) ?? {};
  const free = changing.filter(({ kind }) => kind === object.kind).flatMap(({ fields }) => fields);
  if (old === undefined || free.length === 0) return undefined;
  const isFree = (path: string): boolean =>
    free.some((field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`));
  return changedPaths(old, object).every(isFree) ? 'ByProfile' : undefined;
}

function isTransient(child: KubeObject, parent: KubeObject): boolean {
  return profileOf(parent)?.transient?.includes(child.kind) === true;
}

function isDue({ old }: Review, parent: KubeObject, now: Date): boolean {
  const { due = [], dueOnChild = [] } = profileOf(parent) ?? {};
  const times = [
    ...due.map((field) => statusAt(parent, field)),
    ...dueOnChild.map((key) => readAnnotation(old, key)),
  ];
  return times.some((text) => {
    const age = now.getTime() - (timeOf(text)?.getTime() ?? Number.NaN);
    return age >= 0 && age < DUE_MS;
  });
}

/** A child that was there, or one like it, is made again; or the parent has a template for it, and it is the first. */
function causeOfCreate(
  review: Review,
  parent: KubeObject,
  contents: readonly AcceptedContent[],
): Cause | undefined {
  const entry = entryOf(review.object, parent);
  if (contents.some((one) => isSameContent(one, entry)) && !isGone(entry, contents)) return 'Repeated';
  // There is nothing to compare the first one with.
  if (isTransient(review.object, parent) && !isKnownKind(contents, entry)) return 'ByProfile';
  const isFirst = !contents.some((one) => isSameKind(one, entry));
  return isFirst && isFromTemplate(review.object, parent) ? 'FromTemplate' : undefined;
}

/** Somebody has approved that its controller deletes it: it is not wanted since. */
function isGone(entry: AcceptedContent, contents: readonly AcceptedContent[]): boolean {
  const last = contents.findLast((one) => isSameKind(one, entry) && one.name === entry.name);
  return last?.content === GONE;
}

function causeOfDelete(
  { object, user }: Review,
  parent: KubeObject,
  contents: readonly AcceptedContent[],
): Cause | undefined {
  if (isFinished(object)) return 'Finished';
  if (isTransient(object, parent)) return 'ByProfile';
  // What its controller has the server name it does not mean to keep.
  const isOwn = traceOf(object).at(-1)?.user === user;
  if (!isOwn) return undefined;
  const isNamed = object.metadata.generateName !== undefined || isLikeNamed(object, parent, contents);
  return isNamed ? 'Temporary' : undefined;
}

/**
 * Whether the same was made with a name by the server. Where its cache is behind, cert-manager makes a key again that it has
 * just deleted, by the name that the server gave it.
 */
function isLikeNamed(child: KubeObject, parent: KubeObject, contents: readonly AcceptedContent[]): boolean {
  const named = contents.filter(isNamedByServer);
  if (named.length === 0) return false;
  const entry = entryOf(child, parent);
  return named.some((one) => isSameContent(one, entry));
}

/** A Job or a Pod that is over. */
function isFinished(object: KubeObject): boolean {
  const status = statusOf(object);
  if (object.apiVersion === 'v1' && object.kind === 'Pod')
    return ['Succeeded', 'Failed'].some((phase) => phase === getOwn(status, 'phase'));
  const isJob = object.apiVersion === 'batch/v1' && object.kind === 'Job';
  return (
    isJob &&
    conditionsIn(status).some(
      ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
    )
  );
}

const DEEPEST = 6;
const MOST_TEMPLATES = 50;

/** Whether the containers of a child are those of a template in the spec of its parent, of which it has all. */
function isFromTemplate(child: KubeObject, parent: KubeObject): boolean {
  const wanted = containersIn(memberOf(memberOf(child['spec'], 'template'), 'spec'));
  if (wanted === undefined) return false;
  return templatesIn(parent['spec'], DEEPEST).some((template) => {
    const containers = containersIn(memberOf(template, 'spec'));
    return containers !== undefined && jsonEqual(containers, wanted);
  });
}

function templatesIn(value: Json | undefined, depth: number): readonly JsonObject[] {
  if (depth === 0 || value === undefined) return [];
  const members = isJsonArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  const own =
    isJsonObject(value) && isJsonObject(getOwn(value, 'template')) ? [value['template'] as JsonObject] : [];
  return [...own, ...members.slice(0, MOST_TEMPLATES).flatMap((one) => templatesIn(one, depth - 1))].slice(
    0,
    MOST_TEMPLATES,
  );
}

/** Name and image: the rest has defaults. */
function containersIn(spec: Json | undefined): Json | undefined {
  const containers = memberOf(spec, 'containers');
  if (!isJsonArray(containers)) return undefined;
  return containers.map((one) => (isJsonObject(one) ? [one['name'] ?? null, one['image'] ?? null] : null));
}
