import type { History } from '@kubewright/cluster';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEqual,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { FieldSet, formatPath } from '@kubewright/kube/fields';
import { identityOf, readManagedFields } from '@kubewright/operators';
import { HELD, HELD_SET, heldCounters, isHeld, isThere } from './ownership-held.ts';
import { at, counters, GOING, GOING_LABEL, goingPaths, leftOf, SLICE, stateOf } from './ownership-objects.ts';

type Counts = Readonly<Record<string, number>>;
type Step = { readonly before: KubeObject; readonly after: KubeObject };

const GOING_SET = FieldSet.of(...goingPaths.map((path) => [...path]));
const OURS = 'eno';
const HELD_MAP = ['configmaps', HELD.name] as const;

/** The first fault that any two successive states of the deployment have, or of another object. */
const overSteps =
  (
    fault: (step: Step) => string | undefined,
    [resource, name]: readonly [string, string] = ['deployments', 'web'],
  ) =>
  (history: History): string | undefined => {
    const states = history.of(resource, name);
    for (const [index, { object: after, at: when }] of states.entries()) {
      const before = states[index - 1]?.object;
      const found = before === undefined ? undefined : fault({ before, after });
      if (found !== undefined) return `${found}, at ${when}`;
    }
    return undefined;
  };

/** What rivals wrote only grows; what has to go goes once; the rest stays as it was. */
function outsideThePlan({ before, after }: Step): string | undefined {
  const undone = undoneCount(counters(before), counters(after));
  if (undone !== undefined) return undone;
  const back = leftOf(after).find((name) => !leftOf(before).includes(name));
  if (back !== undefined) return `${back} came back`;
  return jsonEqual(theRest(before), theRest(after)) ? undefined : 'another field changed';
}

/** The deployment without what rivals count, what has to go, and what the server keeps for itself. */
function theRest({ metadata, ...object }: KubeObject): Json {
  const { resourceVersion: _version, generation: _generation, managedFields: _claims, ...own } = metadata;
  const { scaled: _scaled, [GOING_LABEL]: _going, ...labels } = own.labels ?? {};
  const { 'team/note': _note, ...annotations } = own.annotations ?? {};
  const rest = { ...own, labels, annotations };
  const spec = at(object, 'spec');
  const template = at(spec, 'template');
  const pod = at(template, 'spec');
  const init = at(pod, 'initContainers');
  const kept = isJsonArray(init) ? init.filter((item) => at(item, 'name') !== GOING) : [];
  const masked = kept.map((item) => ({ ...asObject(item), image: 'k' }));
  const podSpec = { ...asObject(pod), initContainers: masked };
  return {
    ...(object as JsonObject),
    metadata: rest as JsonObject,
    spec: { ...asObject(spec), replicas: 0, template: { ...asObject(template), spec: podSpec } },
  };
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Claims go with what has to go, or to a rival that has written the field; nobody else loses or gains any. */
const lostClaims =
  (going: FieldSet) =>
  ({ before, after }: Step): string | undefined => {
    const now = setsOf(after);
    for (const [identity, { manager, set }] of setsOf(before)) {
      const gone = set.difference(now.get(identity)?.set ?? FieldSet.EMPTY).recursiveDifference(going);
      const lost = gone.difference(othersOf(now, identity));
      if (!lost.isEmpty) return `${manager} lost ${listed(lost)}`;
    }
    return undefined;
  };

/** After our first apply, which was before the world began, we take what has to go and nothing else. */
const takenClaims =
  (going: FieldSet) =>
  ({ before, after }: Step): string | undefined => {
    const old = setsOf(before);
    for (const [identity, { manager, set }] of setsOf(after)) {
      const had = old.get(identity)?.set;
      if (manager !== OURS || had === undefined) continue;
      const taken = set.difference(had).recursiveDifference(going);
      if (!taken.isEmpty) return `${OURS} took ${listed(taken)}`;
    }
    return undefined;
  };

/** The name and both values of a count that went down. */
function undoneCount(old: Counts, now: Counts): string | undefined {
  const name = Object.keys(old).find((one) => (now[one] ?? 0) < (old[one] ?? 0));
  return name === undefined ? undefined : `${name} went from ${old[name]} to ${now[name]}`;
}

/** What others write beside a key only grows, and what nobody drops stays. */
function besideIsKept({ before, after }: Step): string | undefined {
  const [kept, still] = [before, after].map((live) => at(live, 'data', 'kept') ?? null);
  if (!jsonEqual(kept ?? null, still ?? null)) return 'kept changed';
  return undoneCount(heldCounters(before), heldCounters(after));
}

/** The holder keeps the key until its own apply drops it. What is gone does not come back. */
function heldIsKept({ before, after }: Step): string | undefined {
  if (!isHeld(before)) return isThere(before) || !isThere(after) ? undefined : 'the key came back';
  if (!isThere(after)) return 'the key went, although it was held';
  const isOfHolder = heldCounters(after)['held'] !== heldCounters(before)['held'];
  return isHeld(after) || isOfHolder ? undefined : 'the holder lost the key';
}

type Sets = ReadonlyMap<string, { readonly manager: string; readonly set: FieldSet }>;

function setsOf(live: KubeObject): Sets {
  return new Map(
    readManagedFields(live).claims.map(({ owner, set }) => [
      identityOf(owner),
      { manager: owner.manager, set },
    ]),
  );
}

/** What others than we, and than this one, claim. */
function othersOf(sets: Sets, identity: string): FieldSet {
  return [...sets]
    .filter(([other, { manager }]) => other !== identity && manager !== OURS)
    .reduce((all, [, { set }]) => all.union(set), FieldSet.EMPTY);
}

const listed = (set: FieldSet): string => [...set.paths()].map((path) => formatPath(path)).join(', ');

/** Reconciled is said of what was removed, and moved of what we held alone at some time until then. */
function statusIsTrue(history: History): string | undefined {
  let heldAlone = false;
  let live: KubeObject | undefined;
  for (const { resource, object, at: when } of history.all) {
    if (resource === 'deployments') {
      live = object;
      heldAlone ||= holdersOf(live).length === 0;
    }
    if (!isOfSlice(resource, object) || live === undefined) continue;
    const state = stateOf(object);
    const [left] = leftOf(live);
    if (at(state, 'reconciled') === true && left !== undefined)
      return `reconciled was reported before the removal of ${left}, at ${when}`;
    if (at(state, 'ownership', 'state') === 'Moved' && !heldAlone)
      return `moved was reported while ${holdersOf(live).join(', ')} held the claim, at ${when}`;
  }
  return undefined;
}

function isOfSlice(resource: string, { metadata }: KubeObject): boolean {
  return resource === 'resourceslices' && metadata.name === SLICE.name;
}

/** The others who claim something that has to go. */
function holdersOf(live: KubeObject): readonly string[] {
  const others = readManagedFields(live).claims.filter(({ owner }) => owner.manager !== OURS);
  const holders = others.filter(({ set }) => goingPaths.some((path) => set.has([...path])));
  return holders.map(({ owner }) => owner.manager);
}

export const ownershipInvariants = {
  'nothing outside the plan changes': overSteps(outsideThePlan),
  'no claim is lost': overSteps(lostClaims(GOING_SET)),
  'nothing else is taken': overSteps(takenClaims(GOING_SET)),
  'what another holds is kept': overSteps(heldIsKept, HELD_MAP),
  'what is beside it is kept': overSteps(besideIsKept, HELD_MAP),
  'no claim beside it is lost': overSteps(lostClaims(HELD_SET), HELD_MAP),
  'nothing beside it is taken': overSteps(takenClaims(HELD_SET), HELD_MAP),
  'status is true': statusIsTrue,
};
