import { ApiError, ignoreNotFound, sleep } from '@kubewright/client';
import type { History, ScenarioContext } from '@kubewright/cluster';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { guarded } from './guarded-apply.ts';
import { at, COMPOSITIONS, NAMESPACE, object, SLICES, stateOf } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };
const CRDS = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };

/** A kind that comes and goes. */
export const WIDGETS = { group: 'own.example.com', resource: 'widgets' };
const DEFINITION = { name: `${WIDGETS.resource}.${WIDGETS.group}` };

/** Compositions, and the ConfigMaps of their slices; `shared-both` is in both. */
const LEFT = 'shared-left';
const RIGHT = 'shared-right';
const BOTH = 'shared-both';
const MARKED = 'shared-marked';
const OWN = 'shared-own';
const TOOL = 'ci';
const HELM = 'meta.helm.sh/release-name';

const keyOf = (name: string) => ({ namespace: NAMESPACE, name });

const configMap = (name: string, data: JsonObject, metadata: JsonObject = {}): KubeObject =>
  object({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...keyOf(name), ...metadata }, data });

/** Nobody waits for it: it may never be there. */
const widget = object({
  apiVersion: `${WIDGETS.group}/v1`,
  kind: 'Widget',
  metadata: { ...keyOf('shared-widget'), annotations: { 'eno.azure.io/readiness-group': '9' } },
});

const both = configMap(BOTH, { a: '1' });
const own = configMap(OWN, { a: '1' });
const marked = configMap(MARKED, { a: '1' });

/** Two Compositions with an object in common, whose manifests go one after the other while other tools take objects over. */
export async function playShared(context: ScenarioContext): Promise<void> {
  const { clock, random } = context;
  await compose(context, LEFT, [both, marked, widget, own]);
  await compose(context, RIGHT, [both]);
  const steps: (() => Promise<unknown>)[] = [
    () => drop(context, LEFT, BOTH),
    () => drop(context, LEFT, MARKED),
    () => drop(context, LEFT, 'shared-widget'),
    () => context.client.delete(COMPOSITIONS, keyOf(RIGHT)),
    () => take(context),
    () => mark(context),
    () => define(context),
    () => undefine(context),
  ];
  while (steps.length > 0) {
    await sleep(clock, random.below(1500));
    const [step] = steps.splice(random.below(steps.length), 1);
    await step?.();
  }
  if (random.below(3) === 0) await context.client.delete(COMPOSITIONS, keyOf(LEFT));
}

async function compose(
  { client }: ScenarioContext,
  name: string,
  manifests: readonly KubeObject[],
): Promise<void> {
  const type = { apiVersion: 'eno.azure.io/v1', kind: 'Composition' };
  const { metadata } = await client.create(
    COMPOSITIONS,
    object({ ...type, metadata: keyOf(name), spec: {} }),
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

/** Another applier has the object too, if it is there. */
async function take({ client }: ScenarioContext): Promise<void> {
  const live = await ignoreNotFound(client.get(CONFIG_MAPS, keyOf(BOTH)));
  if (live === undefined) return;
  await guarded(client, CONFIG_MAPS, live, configMap(BOTH, { ci: '1' }), TOOL).catch(unlessGone);
}

/** A release takes the object over, if it is there. */
async function mark({ client }: ScenarioContext): Promise<void> {
  const body = { metadata: { annotations: { [HELM]: 'web' } } };
  await client
    .patch(CONFIG_MAPS, keyOf(MARKED), { type: 'merge', body }, { fieldManager: 'helm' })
    .catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
}

async function define({ client }: ScenarioContext): Promise<void> {
  const names = { plural: WIDGETS.resource, singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const spec = { group: WIDGETS.group, scope: 'Namespaced', names, versions };
  const apiVersion = 'apiextensions.k8s.io/v1';
  await client.create(CRDS, object({ apiVersion, kind: CRDS.kind, metadata: DEFINITION, spec }));
}

async function undefine({ client }: ScenarioContext): Promise<void> {
  await ignoreNotFound(client.delete(CRDS, DEFINITION));
}

function manifestsIn(slice: KubeObject): readonly KubeObject[] {
  const resources = at(slice, 'spec', 'resources') as readonly { readonly manifest: string }[] | undefined;
  return (resources ?? []).map(({ manifest }) => JSON.parse(manifest) as KubeObject);
}

/** What is wanted is there, what nobody wants is gone, and nothing is stuck. */
export async function missingOfShared({ client }: ScenarioContext): Promise<string | undefined> {
  const find = (ref: typeof SLICES, name: string): Promise<KubeObject | undefined> =>
    ignoreNotFound(client.get(ref, keyOf(name)));
  if ((await find(COMPOSITIONS, RIGHT)) !== undefined) return `${RIGHT} is there`;
  const left = await find(COMPOSITIONS, LEFT);
  if (left?.metadata.deletionTimestamp !== undefined) return `${LEFT} is there`;
  const slice = left === undefined ? undefined : await find(SLICES, LEFT);
  const manifests = slice === undefined ? [] : manifestsIn(slice);
  const misplaced = await misplacedOf(client, manifests);
  if (misplaced !== undefined || left === undefined || slice === undefined) return misplaced;
  return unfinished(slice, manifests) ?? unreported(left, slice);
}

async function misplacedOf(
  client: ScenarioContext['client'],
  manifests: readonly KubeObject[],
): Promise<string | undefined> {
  for (const name of [BOTH, MARKED, OWN]) {
    const live = await ignoreNotFound(client.get(CONFIG_MAPS, keyOf(name)));
    const isWanted = manifests.some(({ metadata }) => metadata.name === name);
    const fault = presenceOf(live, isWanted);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
}

function presenceOf(live: KubeObject | undefined, isWanted: boolean): string | undefined {
  if (live === undefined) return isWanted ? 'is wanted and is not there' : undefined;
  return isWanted || isOfTool(live) ? undefined : 'is there, and nobody has it';
}

/** A kind that is not served fails, and nothing else. */
function unfinished(slice: KubeObject, manifests: readonly KubeObject[]): string | undefined {
  if (at(slice, 'status', 'observedGeneration') !== slice.metadata['generation'])
    return `${LEFT} is not looked at`;
  const inventory = at(slice, 'status', 'inventory') as readonly JsonObject[] | undefined;
  if ((inventory ?? []).length > manifests.length) return 'something is still to be pruned';
  const open = manifests.find(
    ({ kind }, index) => kind !== 'Widget' && at(stateOf(slice, index), 'reconciled') !== true,
  );
  return open === undefined ? undefined : `${open.metadata.name} is not reconciled`;
}

/** An object that is not there is named by the Composition. */
function unreported(composition: KubeObject, slice: KubeObject): string | undefined {
  const failed = manifestsIn(slice).some(
    (_manifest, index) => at(stateOf(slice, index), 'reconciliationError') !== undefined,
  );
  const status = at(composition, 'status', 'simplified', 'status');
  return failed === (status === 'Ready') ? `the Composition is ${JSON.stringify(status)}` : undefined;
}

function isOfTool({ metadata: { annotations, managedFields = [] } }: KubeObject): boolean {
  const isApplied = managedFields.some(({ manager, operation }) => manager === TOOL && operation === 'Apply');
  return isApplied || annotations?.[HELM] !== undefined;
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
