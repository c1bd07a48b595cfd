import { sleep } from '@kubewright/client';
import type { ScenarioContext, Scenario } from '@kubewright/cluster';
import { defined, type JsonObject, type KubeObject } from '@kubewright/kube';
import { type OperatorParts, ownershipParts } from '@kubewright/operators';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { ownershipInvariants } from './ownership-invariants.ts';
import {
  at,
  COMPOSITIONS,
  deployment,
  DEPLOYMENTS,
  GOING,
  GOING_LABEL,
  initNames,
  leftOf,
  LOOKS_AGAIN,
  NAMESPACE,
  object,
  SLICE,
  SLICES,
  stateOf,
  WEB,
} from './ownership-objects.ts';
import { heldManifest, hold, missingOfHeld, prepareHeld, writeBeside, yieldHeld } from './ownership-held.ts';
import { drift, driftingManifest, missingOfDrift } from './ownership-drift.ts';
import { claim, rival, scale } from './ownership-rivals.ts';
import { missingOfShared, playShared, sharedInvariants, WIDGETS } from './ownership-shared.ts';
import { GADGETS, synthesisDay } from './synthesis.ts';

/** An init container and a label made by one client, then applied by eno, each with a sibling that nobody shares. */
async function prepare({ client }: ScenarioContext): Promise<void> {
  const init = { name: GOING, image: 'b:1', command: ['sh'] };
  const keep = { name: 'keep', image: 'k:1' };
  const going = { [GOING_LABEL]: 'front' };
  const whole = deployment([init, keep], { replicas: 3, labels: { ...going, app: 'web' } });
  await client.create(DEPLOYMENTS, object(whole), { fieldManager: 'Go-http-client' });
  const upgraded = deployment([{ name: GOING, image: 'b:2' }], { labels: going });
  await client.apply(DEPLOYMENTS, object(upgraded), { fieldManager: 'eno', force: true });
  await prepareHeld(client);
}

function slice(name: string, { metadata }: KubeObject, resources: readonly JsonObject[]): KubeObject {
  const apiVersion = 'eno.azure.io/v1';
  const owner = { apiVersion, kind: 'Composition', name: 'shop', uid: metadata.uid ?? '', controller: true };
  const placed = { namespace: NAMESPACE, name, ownerReferences: [owner] };
  return { apiVersion, kind: 'ResourceSlice', metadata: placed, spec: { resources } };
}

/** In one world of so many. */
const HOLDS_TO_THE_END = 8;

/** A user hands over the new manifest; others go on writing what is theirs. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  const type = { apiVersion: 'eno.azure.io/v1', kind: 'Composition' };
  const annotations = { 'eno.azure.io/reconcile-interval': LOOKS_AGAIN };
  const metadata = { name: 'shop', namespace: NAMESPACE, annotations };
  const composition = await client.create(COMPOSITIONS, object({ ...type, metadata, spec: {} }));
  const manifests = [deployment([]), heldManifest, driftingManifest].map((manifest) => ({
    manifest: JSON.stringify(manifest),
  }));
  await client.create(SLICES, slice(SLICE.name, composition, manifests));
  for (let times = 0; times < 5; times++) {
    await sleep(clock, random.below(120));
    await claim(context);
  }
  for (let times = 0; times < 3; times++) {
    await sleep(clock, random.below(2500));
    await scale(context);
    await random.pick([hold, yieldHeld, writeBeside])?.(context);
  }
  // Mostly nobody holds the key in the end: while somebody does, the operator looks every few seconds.
  await (random.below(HOLDS_TO_THE_END) === 0 ? hold : yieldHeld)(context);
  await playShared(context);
  await drift(context);
}

async function missing(context: ScenarioContext): Promise<string | undefined> {
  const { client } = context;
  const live = await client.get(DEPLOYMENTS, WEB);
  const left = leftOf(live);
  if (left.length > 0) return `${left.join(' and ')} is there`;
  const names = initNames(live);
  if (names.join() !== 'keep') return `init containers are ${names.join()}`;
  const state = stateOf(await client.get(SLICES, SLICE));
  if (at(state, 'reconciled') !== true) return 'the slice is not reconciled';
  return (await missingOfHeld(context)) ?? (await missingOfDrift(context)) ?? missingOfShared(context);
}

/**
 * An init container and a label have to go that others claim too, some again and again, while others write; and a key of
 * a ConfigMap, unless an applier from which nothing may be taken holds it in the end. Beside that, two Compositions share
 * an object, other tools take objects over, and a kind comes and goes.
 */
export const ownershipDay: OperatorDay = {
  name: 'ownership',
  operator: ownershipParts,
  anyKind: {
    apiGroups: ['', 'apps', WIDGETS.group],
    resources: ['configmaps', 'deployments', WIDGETS.resource],
  },
  observed: [
    ['', 'configmaps'],
    ['apps', 'deployments'],
    ['eno.azure.io', 'resourceslices'],
    ['eno.azure.io', 'compositions'],
  ],
  prepare,
  script,
  rival,
  missing,
  calls: 24,
  invariants: { ...ownershipInvariants, ...sharedInvariants },
};

const named = (name: string, more: JsonObject = {}): JsonObject => ({
  ...deployment([]),
  metadata: { namespace: NAMESPACE, name, ...more },
});
const NEW = named('new');
const OLD = named('old');
/** As it is at first, and as the manifest that replaces it has it. */
const WHOLE = named('whole', { labels: { theirs: '1' } });
const REPLACING = named('whole', { annotations: { 'eno.azure.io/replace': 'true' } });

/** The same, beside objects that have to come, to go and to be replaced, and a synthesis: all that the operator may do. */
export const ownershipRightsDay: OperatorDay = {
  ...ownershipDay,
  ...(synthesisDay.components && { components: synthesisDay.components }),
  anyKind: {
    apiGroups: ['', 'apps', WIDGETS.group],
    resources: ['configmaps', 'deployments', GADGETS.resource, WIDGETS.resource],
  },
  async prepare(context) {
    await prepare(context);
    for (const existing of [OLD, WHOLE]) await context.client.create(DEPLOYMENTS, object(existing));
  },
  async script(context) {
    await script(context);
    const { client } = context;
    const composition = await client.get(COMPOSITIONS, { namespace: NAMESPACE, name: 'shop' });
    const resources = [
      { manifest: JSON.stringify(NEW) },
      { manifest: JSON.stringify(OLD), deleted: true },
      { manifest: JSON.stringify(REPLACING) },
    ];
    await client.create(SLICES, slice('shop-2', composition, resources));
    await synthesisDay.script?.(context);
  },
  async missing(context) {
    const { items } = await context.client.list<KubeObject>(DEPLOYMENTS, { namespace: NAMESPACE });
    const names = items
      .map(({ metadata }) => metadata.name)
      .toSorted()
      .join(' ');
    if (names !== 'new web whole') return `there are ${names}`;
    const whole = items.find(({ metadata }) => metadata.name === 'whole');
    if (whole?.metadata.labels !== undefined) return 'one is not replaced';
    return (await missing(context)) ?? synthesisDay.missing(context);
  },
};

/** @param operator absent: the real one */
export function ownershipScenario(operator?: OperatorParts): Scenario {
  return operatorScenario({ ...ownershipDay, ...defined({ operator }) });
}
