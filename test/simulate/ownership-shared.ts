import { ignoreNotFound, sleep } from '@kubewright/client';
import type { History, ScenarioContext } from '@kubewright/cluster';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { comingKind } from './coming-kind.ts';
import { foreignTools, isOfTool } from './foreign-tools.ts';
import { at, COMPOSITIONS, LOOKS_AGAIN, NAMESPACE, object, SLICES, stateOf } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };

/** A kind that comes and goes. */
export const WIDGETS = comingKind('Widget');
const WIDGET = 'shared-widget';

/** Compositions, and the ConfigMaps of their slices; `shared-both` is in both, as the widget is. */
const LEFT = 'shared-left';
const RIGHT = 'shared-right';
const BOTH = 'shared-both';
const OWN = 'shared-own';
/** Other tools take these over. They give the first up again while it is still wanted. */
const [FREED, TAKEN] = ['shared-freed', 'shared-taken'];

const keyOf = (name: string) => ({ namespace: NAMESPACE, name });

const configMap = (name: string, data: JsonObject): KubeObject =>
  object({ apiVersion: 'v1', kind: 'ConfigMap', metadata: keyOf(name), data });

const widget = WIDGETS.manifest(NAMESPACE, WIDGET);
const [both, own, freed, taken] = [BOTH, OWN, FREED, TAKEN].map((name) => configMap(name, { a: '1' })) as [
  KubeObject,
  KubeObject,
  KubeObject,
  KubeObject,
];

/** Two Compositions with objects in common, whose manifests go one after the other while other tools take objects over. */
export async function playShared(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  await compose(context, LEFT, [both, freed, taken, widget, own]);
  await compose(context, RIGHT, [both, widget]);
  const tool = () => random.pick(foreignTools);
  const steps: (() => Promise<unknown>)[] = [
    () => drop(context, LEFT, BOTH),
    () => drop(context, LEFT, TAKEN),
    () => drop(context, LEFT, WIDGET),
    async () => tool()?.take(client, keyOf(BOTH)),
    async () => tool()?.take(client, keyOf(TAKEN)),
    () => lend(context),
    () => WIDGETS.define(client),
    () => WIDGETS.undefine(client),
    () => WIDGETS.define(client),
    () => WIDGETS.undefine(client),
  ];
  if (random.below(2) === 0) steps.push(() => client.delete(COMPOSITIONS, keyOf(RIGHT)));
  while (steps.length > 0) {
    await sleep(clock, random.below(1500));
    const [step] = steps.splice(random.below(steps.length), 1);
    await step?.();
  }
  if (random.below(3) === 0) await client.delete(COMPOSITIONS, keyOf(LEFT));
}

/** A tool has an object for some time only, and only then nobody wants it. */
async function lend(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  const tool = random.pick(foreignTools);
  await tool?.take(client, keyOf(FREED));
  await sleep(clock, random.below(1500));
  await tool?.yieldIt(client, keyOf(FREED));
  await drop(context, LEFT, FREED);
}

async function compose(
  { client }: ScenarioContext,
  name: string,
  manifests: readonly KubeObject[],
): Promise<void> {
  const type = { apiVersion: 'eno.azure.io/v1', kind: 'Composition' };
  // What goes with its definition is seen to be gone when it is looked at again.
  const annotations = { 'eno.azure.io/reconcile-interval': LOOKS_AGAIN };
  const { metadata } = await client.create(
    COMPOSITIONS,
    object({ ...type, metadata: { ...keyOf(name), annotations }, spec: {} }),
  );
  const ownerReferences = [{ ...type, name, uid: metadata.uid, controller: true }];
  await client.create(
    SLICES,
    object({
      apiVersion: type.apiVersion,
      kind: 'ResourceSlice',
      metadata: { ...keyOf(name), ownerReferences },
      spec: { resources: manifests.map((manifest) => ({ manifest: JSON.stringify(manifest) })) },
    }),
  );
}

/** The slice no longer has an object. */
async function drop({ client }: ScenarioContext, slice: string, name: string): Promise<void> {
  const live = await client.get(SLICES, keyOf(slice));
  const resources = manifestsIn(live)
    .filter(({ metadata }) => metadata.name !== name)
    .map((manifest) => ({ manifest: JSON.stringify(manifest) }));
  await client.patch(SLICES, keyOf(slice), { type: 'merge', body: { spec: { resources } } });
}

function manifestsIn(slice: KubeObject): readonly KubeObject[] {
  const resources = at(slice, 'spec', 'resources') as readonly { readonly manifest: string }[] | undefined;
  return (resources ?? []).map(({ manifest }) => JSON.parse(manifest) as KubeObject);
}

type Part = { readonly composition: KubeObject; readonly slice: KubeObject };

/** What is wanted is there, what nobody wants is gone, and nothing is stuck. */
export async function missingOfShared({ client }: ScenarioContext): Promise<string | undefined> {
  const parts: Part[] = [];
  for (const name of [LEFT, RIGHT]) {
    const composition = await ignoreNotFound(client.get(COMPOSITIONS, keyOf(name)));
    if (composition === undefined) continue;
    if (composition.metadata.deletionTimestamp !== undefined) return `${name} is there`;
    parts.push({ composition, slice: await client.get(SLICES, keyOf(name)) });
  }
  const wanted = new Set(
    parts.flatMap(({ slice }) => manifestsIn(slice)).map(({ metadata }) => metadata.name),
  );
  const isServed = await WIDGETS.isServed(client);
  const misplaced = await misplacedOf(client, wanted, isServed);
  if (misplaced !== undefined) return misplaced;
  return parts
    .map((part) => unfinished(part, isServed) ?? unreported(part))
    .find((fault) => fault !== undefined);
}

async function misplacedOf(
  client: ScenarioContext['client'],
  wanted: ReadonlySet<string | undefined>,
  isServed: boolean,
): Promise<string | undefined> {
  for (const name of [BOTH, FREED, TAKEN, OWN]) {
    const live = await ignoreNotFound(client.get(CONFIG_MAPS, keyOf(name)));
    const fault = presenceOf(live, wanted.has(name));
    if (fault !== undefined) return `${name} ${fault}`;
  }
  const fault = presenceOf(await WIDGETS.find(client, NAMESPACE, WIDGET), isServed && wanted.has(WIDGET));
  return fault === undefined ? undefined : `${WIDGET} ${fault}`;
}

function presenceOf(live: KubeObject | undefined, isWanted: boolean): string | undefined {
  if (live === undefined) return isWanted ? 'is wanted and is not there' : undefined;
  return isWanted || isOfTool(live) ? undefined : 'is there, and nobody has it';
}

/** A kind that is not served fails, and nothing else. */
function unfinished({ slice }: Part, isServed: boolean): string | undefined {
  const { name } = slice.metadata;
  if (at(slice, 'status', 'observedGeneration') !== slice.metadata['generation'])
    return `${name} is not looked at`;
  const manifests = manifestsIn(slice);
  const inventory = at(slice, 'status', 'inventory') as readonly JsonObject[] | undefined;
  if ((inventory ?? []).length > manifests.length) return `something of ${name} is still to be pruned`;
  for (const [index, { kind, metadata }] of manifests.entries()) {
    const isReconciled = at(stateOf(slice, index), 'reconciled') === true;
    const isPossible = kind !== widget.kind || isServed;
    if (isReconciled !== isPossible)
      return `${metadata.name} is ${isReconciled ? 'said to be' : 'not'} reconciled`;
  }
  return undefined;
}

/** An object that is not there is named by the Composition. */
function unreported({ composition, slice }: Part): string | undefined {
  const failed = manifestsIn(slice).some(
    (_manifest, index) => at(stateOf(slice, index), 'reconciliationError') !== undefined,
  );
  const status = at(composition, 'status', 'simplified', 'status');
  return failed === (status === 'Ready')
    ? `${composition.metadata.name} is ${JSON.stringify(status)}`
    : undefined;
}

/** No object is deleted that a Composition or another tool has at that moment. */
function nobodysIsDeleted({ all }: History): string | undefined {
  const slices = new Map<string, KubeObject>();
  const compositions = new Map<string, KubeObject>();
  const objects = new Map<string, KubeObject>();
  for (const { resource, object: now, type, at: when } of all) {
    const name = now.metadata.name ?? '';
    if (resource === 'resourceslices') note(slices, name, now, type);
    if (resource === 'compositions') note(compositions, name, now, type);
    if (resource !== 'configmaps') continue;
    const before = objects.get(name);
    note(objects, name, now, type);
    if (type !== 'DELETED' || before === undefined) continue;
    const holder = isOfTool(before) ? 'another tool' : wantedBy(name, slices, compositions);
    if (holder !== undefined) return `${name} was deleted, which ${holder} has, at ${when}`;
  }
  return undefined;
}

function note(known: Map<string, KubeObject>, name: string, now: KubeObject, type: string): void {
  if (type === 'DELETED') known.delete(name);
  else known.set(name, now);
}

function wantedBy(
  name: string,
  slices: ReadonlyMap<string, KubeObject>,
  compositions: ReadonlyMap<string, KubeObject>,
): string | undefined {
  for (const owner of [LEFT, RIGHT]) {
    const [slice, composition] = [slices.get(owner), compositions.get(owner)];
    const isGoing = [slice, composition].some(
      (one) => one === undefined || one.metadata.deletionTimestamp !== undefined,
    );
    if (!isGoing && slice !== undefined && manifestsIn(slice).some(({ metadata }) => metadata.name === name))
      return owner;
  }
  return undefined;
}

export const sharedInvariants = { "nobody's object is deleted": nobodysIsDeleted };
