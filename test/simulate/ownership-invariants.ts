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
import { at, counters, GOING, goingPath, initNames, stateOf } from './ownership-objects.ts';

type Step = { readonly before: KubeObject; readonly after: KubeObject };

const GOING_SET = FieldSet.of([...goingPath]);
const OURS = 'eno';

/** The first fault that any two successive states of the deployment have. */
const overSteps =
  (fault: (step: Step) => string | undefined) =>
  (history: History): string | undefined => {
    const states = history.of('deployments', 'web');
    for (const [index, { object: after, at: when }] of states.entries()) {
      const before = states[index - 1]?.object;
      const found = before === undefined ? undefined : fault({ before, after });
      if (found !== undefined) return `${found}, at ${when}`;
    }
    return undefined;
  };

/** What rivals wrote only grows; what has to go goes once; the rest stays as it was. */
function outsideThePlan({ before, after }: Step): string | undefined {
  const [old, now] = [counters(before), counters(after)];
  const undone = Object.keys(old).find((name) => (now[name] ?? 0) < (old[name] ?? 0));
  if (undone !== undefined) return `${undone} went from ${old[undone]} to ${now[undone]}`;
  if (initNames(after).includes(GOING) && !initNames(before).includes(GOING)) return `${GOING} came back`;
  return jsonEqual(theRest(before), theRest(after)) ? undefined : 'another field changed';
}

/** The deployment without what rivals count, what has to go, and what the server keeps for itself. */
function theRest({ metadata, ...object }: KubeObject): Json {
  const { resourceVersion: _version, generation: _generation, managedFields: _claims, ...own } = metadata;
  const { labels: _labels, annotations: _annotations, ...rest } = own;
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
function lostClaims({ before, after }: Step): string | undefined {
  const now = setsOf(after);
  for (const [identity, { manager, set }] of setsOf(before)) {
    const gone = set.difference(now.get(identity)?.set ?? FieldSet.EMPTY).recursiveDifference(GOING_SET);
    const lost = gone.difference(othersOf(now, identity));
    if (!lost.isEmpty) return `${manager} lost ${listed(lost)}`;
  }
  return undefined;
}

/** After our first apply, which was before the world began, we take what has to go and nothing else. */
function takenClaims({ before, after }: Step): string | undefined {
  const old = setsOf(before);
  for (const [identity, { manager, set }] of setsOf(after)) {
    const had = old.get(identity)?.set;
    if (manager !== OURS || had === undefined) continue;
    const taken = set.difference(had).recursiveDifference(GOING_SET);
    if (!taken.isEmpty) return `${OURS} took ${listed(taken)}`;
  }
  return undefined;
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

/** Each state of the slice with the state in which the deployment then was. */
function* reports(history: History): Iterable<{ state: Json | undefined; live: KubeObject; when: number }> {
  let live: KubeObject | undefined;
  for (const { resource, object, at: when } of history.all) {
    if (resource === 'deployments') live = object;
    if (resource === 'resourceslices' && live !== undefined) yield { state: stateOf(object), live, when };
  }
}

/** Reconciled is said of what was removed, and moved of what nobody else holds. */
function statusIsTrue(history: History): string | undefined {
  for (const { state, live, when } of reports(history)) {
    if (at(state, 'reconciled') === true && initNames(live).includes(GOING))
      return `reconciled was reported before the removal, at ${when}`;
    const claim = readManagedFields(live).claims.find(
      ({ owner, set }) => owner.manager !== OURS && set.has([...goingPath]),
    );
    if (at(state, 'ownership', 'state') === 'Moved' && claim !== undefined)
      return `moved was reported while ${claim.owner.manager} held the claim, at ${when}`;
  }
  return undefined;
}

export const ownershipInvariants = {
  'nothing outside the plan changes': overSteps(outsideThePlan),
  'no claim is lost': overSteps(lostClaims),
  'nothing else is taken': overSteps(takenClaims),
  'status is true': statusIsTrue,
};
