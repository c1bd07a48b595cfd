import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  KubeError,
  type KubeObject,
} from '@kubewright/kube';
import { parseQuantity, quantityAsNumber } from '@kubewright/kube/quantity';
import { profileOf } from '../profiles/profiles.ts';
import { changedPaths } from './changed-fields.ts';
import { statusOf } from './parent-status.ts';
import type { Review } from './review.ts';

/** What a status says that the controller is about to write: of children of a kind, a field and its value. */
export type Announcement = { readonly kind: string; readonly field: string; readonly value: number };

const MOST_ITEMS = 100;
const CONTAINERS = 'spec.template.spec.containers';

/** The announcements in the status of a parent, as its profile says where they are. */
export function announcements(parent: KubeObject): readonly Announcement[] {
  const known: unknown = (parent.metadata as { readonly announced?: unknown }).announced;
  if (Array.isArray(known)) return known as readonly Announcement[];
  const { announced = [] } = profileOf(parent) ?? {};
  return announced.flatMap(({ kind, field, at }) =>
    valuesAt(statusOf(parent), at.split('.')).flatMap((value) =>
      typeof value === 'number' ? [{ kind, field, value }] : [],
    ),
  );
}

/** The values at a path; `*` is each item of a list. */
function valuesAt(from: Json | undefined, [key, ...rest]: readonly string[]): readonly Json[] {
  if (from === undefined) return [];
  if (key === undefined) return [from];
  if (key === '*')
    return isJsonArray(from) ? from.slice(0, MOST_ITEMS).flatMap((one) => valuesAt(one, rest)) : [];
  return isJsonObject(from) ? valuesAt(getOwn(from, key), rest) : [];
}

/** The children, as `Deployment/web`, that the status of a parent lists as wanted; undefined: it lists none. */
export function wantedChildren(parent: KubeObject): readonly string[] | undefined {
  const { wanted: known } = parent.metadata as { readonly wanted?: readonly string[] };
  if (Array.isArray(known)) return known;
  const { wanted } = profileOf(parent) ?? {};
  const listed = wanted === undefined ? [] : valuesAt(statusOf(parent), [...wanted.split('.'), '*']);
  const names = listed.flatMap((one) =>
    isJsonObject(one) ? [`${text(one, 'kind')}/${text(one, 'name')}`] : [],
  );
  return names.length === 0 ? undefined : names;
}

function text(from: JsonObject, key: string): string {
  const value = getOwn(from, key);
  return typeof value === 'string' ? value : '';
}

/**
 * Whether an update writes what the parent's status has said before, and nothing else; or a deletion is of a child that is
 * not among those that it lists.
 */
export function isAnnounced({ operation, old, object }: Review, parent: KubeObject): boolean {
  if (operation === 'DELETE')
    return wantedChildren(parent)?.includes(`${object.kind}/${object.metadata.name}`) === false;
  if (operation !== 'UPDATE' || old === undefined) return false;
  const all = announcements(parent).filter(({ kind }) => kind === object.kind);
  if (all.length === 0) return false;
  const paths = changedPaths(old, object);
  return paths.length > 0 && paths.every((path) => isAnnouncedAt(path, old, object, all));
}

function isAnnouncedAt(
  path: string,
  old: KubeObject,
  object: KubeObject,
  all: readonly Announcement[],
): boolean {
  const values = all.filter(({ field }) => field === path).map(({ value }) => value);
  if (path !== CONTAINERS) {
    const [value] = valuesAt(object, membersOf(path));
    return typeof value === 'string' ? values.map(String).includes(value) : values.includes(value as number);
  }
  const [before, after] = [old, object].map((one) => valuesAt(one, membersOf(path))[0]);
  return isResized(before, after, values);
}

/** `metadata.annotations[example.com/scale]` */
function membersOf(path: string): readonly string[] {
  const [before = '', key] = path.split(/[[\]]/, 2);
  return [...before.split('.'), ...(key === undefined ? [] : [key])];
}

/** Whether containers differ in nothing but what they ask for, and that is of these values: bytes, or millicores. */
function isResized(before: Json | undefined, after: Json | undefined, values: readonly number[]): boolean {
  if (!isJsonArray(before) || !isJsonArray(after) || before.length !== after.length) return false;
  return after.every((container, index) => {
    const old = before[index];
    if (!isJsonObject(container) || !isJsonObject(old)) return false;
    if (!jsonEqual(withoutSizes(old), withoutSizes(container))) return false;
    return sizes(container).every(
      ([key, value], at) =>
        jsonEqual(value, sizes(old)[at]?.[1] ?? null) || values.includes(sizeOf(key, value)),
    );
  });
}

const SIZES = ['requests', 'limits'].flatMap((part) =>
  ['cpu', 'memory'].map((resource) => [part, resource] as const),
);

function sizes(container: JsonObject): readonly (readonly [resource: string, value: Json])[] {
  return SIZES.map(([part, resource]) => {
    const [value = null] = valuesAt(container, ['resources', part, resource]);
    return [resource, value];
  });
}

function sizeOf(resource: string, value: Json): number {
  if (typeof value !== 'string' && typeof value !== 'number') return Number.NaN;
  try {
    const size = quantityAsNumber(parseQuantity(String(value)));
    return Math.round(resource === 'cpu' ? size * 1000 : size);
  } catch (error) {
    if (error instanceof KubeError) return Number.NaN;
    throw error;
  }
}

function withoutSizes(container: JsonObject): JsonObject {
  const { resources, ...rest } = container;
  if (!isJsonObject(resources)) return rest;
  const { requests, limits, ...others } = resources;
  const kept = [requests, limits].map((part) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).filter(([key]) => key !== 'cpu' && key !== 'memory'))
      : {},
  );
  return { ...rest, resources: { ...others, kept } };
}
