import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import { FieldSet, field, getPath, parsePathElement, type Path } from '@kubewright/kube/fields';
import type { LeftField } from '../../decide/migration-plan.ts';
import { isItemElement, MAP_FIELDS, mentions, type Removal, removalsOf } from '../../decide/removals-of.ts';
import type { Claim, OwnClaim } from '../../read-managed-fields.ts';
import { isStillAs, manifestValue, storedForm } from './manifest-value.ts';
import type { RecordedObject } from './tool-record.ts';

/** What a tool applied, and what became of it. */
export type DroppedInput = {
  readonly live: Stored;
  readonly claims: readonly Claim[];
  /** The tool's own claim; undefined where it does not apply the object. */
  readonly own: OwnClaim | undefined;
  readonly object: RecordedObject;
  /** Managers whose `Update` entries the tool is to have all of: they write no more. */
  readonly from: readonly string[];
  /** An autoscaler writes the replicas of this object. */
  readonly isScaled: boolean;
};

/** What the tool once applied and no longer does, and is still there. */
export type Dropped = {
  /** All of it that may be moved to the tool. */
  readonly dropped: FieldSet;
  /** What the tool applies now. */
  readonly desired: FieldSet;
  /** What others want, so that it stays. */
  readonly left: readonly LeftField[];
};

/**
 * The fields that the tool applied in an earlier revision, does not apply now, and that are still there because an
 * `Update` entry of somebody else owns them (or nobody does any more). What another manager applies, or has changed
 * since, is left to it: only what keeps a value that the tool brought is to go.
 */
export function droppedFields(input: DroppedInput): Dropped {
  const { claims, own } = input;
  const desired = desiredOf(input);
  const dropped = withStructs(
    claims
      .filter((claim) => claim !== own && isUpdate(claim))
      .reduce((all, claim) => all.union(keptBy(claim, desired, input)), unownedKeys(desired, input)),
    input,
  );
  const left: LeftField[] = [];
  let moved = dropped;
  for (const removal of removalsOf(dropped, desired)) {
    const stays = whyLeft(removal, input);
    if (stays === undefined) continue;
    left.push(stays);
    moved = moved.recursiveDifference(FieldSet.of(removal.path));
  }
  return { dropped: moved, desired, left };
}

/** An entry that only an `update` or `patch` made, of the main resource. */
export function isUpdate({ owner }: Claim): boolean {
  return owner.operation === 'Update' && owner.subresource === '';
}

/**
 * What the tool owns by its applies, and what others own of what its newest manifest has; not what that manifest has
 * dropped, where its apply has failed or is to come.
 */
function desiredOf(input: DroppedInput): FieldSet {
  const { own, claims, object } = input;
  const { manifest } = object;
  const applied = own?.set ?? FieldSet.EMPTY;
  if (manifest === undefined) return applied;
  const now = storedForm(manifest);
  const isNow = (path: Path): boolean => manifestValue(now, path) !== undefined;
  return claims.reduce(
    (all, { set }) => all.union(selected(set, isNow)),
    selected(applied, (path) => isNow(path) || appliedBefore(path, input).length === 0).union(
      convertedKeys(now, input),
    ),
  );
}

/**
 * The keys of `data` that the server makes of a manifest's `stringData`: no entry has them. Where a key is nobody's at all
 * they are left out, so that the plan is blocked: without an owner in the map, the apply would delete that key, too.
 */
function convertedKeys(now: JsonObject, input: DroppedInput): FieldSet {
  const keys = keysOf(input.live);
  const isKnown = (path: Path): boolean =>
    manifestValue(now, path) !== undefined ||
    appliedBefore(path, input).length > 0 ||
    input.claims.some(({ set }) => set.has(path));
  if (input.live.kind !== 'Secret' || !keys.every(isKnown)) return FieldSet.EMPTY;
  return FieldSet.of(...keys.filter((path) => manifestValue(now, path) !== undefined));
}

/** The keys of a ConfigMap or a Secret. */
function keysOf(live: Stored): readonly Path[] {
  if (live.apiVersion !== 'v1' || (live.kind !== 'ConfigMap' && live.kind !== 'Secret')) return [];
  return ['data', 'binaryData'].flatMap((name) => {
    const map = getPath(live, [field(name)]);
    return isJsonObject(map) ? Object.keys(map).map((key) => [field(name), field(key)]) : [];
  });
}

function keptBy(claim: Claim, desired: FieldSet, input: DroppedInput): FieldSet {
  const isGiven = input.from.includes(claim.owner.manager);
  return selected(
    claim.set,
    (path) =>
      !mentions(desired, path) &&
      !isCollection(path, claim.set, input.live) &&
      !isBelowMoved(path, input.own) &&
      getPath(input.live, path) !== undefined &&
      (isGiven || appliedBefore(path, input).length > 0),
  );
}

/** Whether an item around it is the tool's already, and only moved: with every item that it applies it owns the item's keys. */
function isBelowMoved(path: Path, own: OwnClaim | undefined): boolean {
  if (own === undefined) return false;
  return path.some((element, index) => {
    const item = path.slice(0, index + 1);
    const parsed = parsePathElement(element);
    return (
      parsed.type === 'key' &&
      own.set.has(item) &&
      !Object.keys(parsed.keys).some((name) => own.set.has([...item, field(name)]))
    );
  });
}

/** A list or map with elements of its own: it is gone when they are, and no claim on it blocks that. */
function isCollection(path: Path, set: FieldSet, live: Stored): boolean {
  return MAP_FIELDS.has(path.at(-1) ?? '') || (isJsonArray(getPath(live, path)) && !set.at(path).isEmpty);
}

/**
 * A struct that the tool dropped as a whole goes with what the server defaulted in it: a probe of nothing but defaults is
 * invalid. Only of built-in kinds: elsewhere a map, with keys of others, looks the same.
 */
function withStructs(dropped: FieldSet, { live, claims }: DroppedInput): FieldSet {
  if (!isBuiltin(live)) return dropped;
  let all = dropped;
  for (const path of dropped.paths()) {
    if (isItemElement(path.at(-1) ?? '') || !isJsonObject(getPath(live, path))) continue;
    for (const claim of claims.filter(isUpdate)) all = all.union(claim.set.at(path).prefixed(path));
  }
  return all;
}

const BUILTIN = /^(?:[a-z]*|(?:[a-z]+|rbac\.authorization|flowcontrol\.apiserver)\.k8s\.io)$/;

function isBuiltin({ apiVersion }: Stored): boolean {
  return BUILTIN.test(parseApiVersion(apiVersion).group);
}

/** The values that the tool has applied at a path. */
function appliedBefore(path: Path, { object }: DroppedInput): readonly Json[] {
  return object.earlier.flatMap((manifest) => {
    const value = manifestValue(storedForm(manifest), path);
    return value === undefined ? [] : [value];
  });
}

/** Keys of a ConfigMap or a Secret that nobody owns any more: so the server leaves those of `stringData`. */
function unownedKeys(desired: FieldSet, input: DroppedInput): FieldSet {
  const { live, claims, object } = input;
  if (object.manifest === undefined) return FieldSet.EMPTY;
  return FieldSet.of(
    ...keysOf(live).filter(
      (path) =>
        !mentions(desired, path) &&
        !claims.some(({ set }) => set.has(path)) &&
        appliedBefore(path, input).length > 0,
    ),
  );
}

/** Why a removal is not the tool's to make. */
function whyLeft({ path, kind }: Removal, input: DroppedInput): LeftField | undefined {
  const { claims, own, isScaled, live, from } = input;
  const others = claims.filter((claim) => claim !== own);
  const appliers = others.filter(({ owner, set }) => owner.operation === 'Apply' && mentions(set, path));
  if (appliers.length > 0) return { path, owners: appliers.map(({ owner }) => owner), why: 'Applied' };
  const owners = others.filter(({ set }) => set.has(path)).map(({ owner }) => owner);
  if (isScaled && isReplicas(path)) return { path, owners, why: 'Scaled' };
  const isGiven = owners.length > 0 && owners.every(({ manager }) => from.includes(manager));
  if (isGiven || kind === 'item' || appliedBefore(path, input).length === 0) return undefined;
  const value = getPath(live, path) ?? null;
  return appliedBefore(path, input).some((applied) => isStillAs(applied, value))
    ? undefined
    : { path, owners, why: 'Changed' };
}

function isReplicas(path: Path): boolean {
  return path.length === 2 && path[0] === 'f:spec' && path[1] === 'f:replicas';
}

function selected(set: FieldSet, keep: (path: Path) => boolean): FieldSet {
  return FieldSet.of(...[...set.paths()].filter(keep));
}
