import { type Client, ignoreNotFound, sleep } from '@kubewright/client';
import type { History, Scenario, ScenarioContext } from '@kubewright/cluster';
import { defined, type JsonObject, type KubeObject } from '@kubewright/kube';
import { type OperatorParts, ownershipParts } from '@kubewright/operators';
import { clusterComponent } from './cluster-component.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { comingKind } from './coming-kind.ts';
import { foreignTools, isOfTool } from './foreign-tools.ts';
import { at, COMPOSITIONS, LOOKS_AGAIN, NAMESPACE, object, SLICES, stateOf } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };
const PODS = { group: '', version: 'v1', kind: 'Pod' };
const SYNTHESIZERS = { group: 'eno.azure.io', version: 'v1', kind: 'Synthesizer' };
const INPUT = { namespace: NAMESPACE, name: 'input' };
const MADE = { namespace: NAMESPACE, name: 'made' };
const VERSIONS = 3;
/** ConfigMaps of the namespace that are none of the synthesis's: the cluster's, other tools', and those of the scenario `ownership`. */
const OF_OTHERS = /^(kube-|held$|drifting$|shared-|owner-of-others$)/;
const KEEPER = { namespace: NAMESPACE, name: 'keeper' };

/** A kind that comes and goes, of which every version prints an object. */
export const GADGETS = comingKind('Gadget');
const gadget = GADGETS.manifest(NAMESPACE, 'gadget');

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name },
  data,
});

/** Only the first version prints these: another Composition has one of them too, and another tool takes the other over. */
const [KEPT, TAKEN] = ['first', 'taken'];

/** Prints objects that later versions do not print. */
function specOf(version: number, others: boolean): JsonObject {
  const always = configMap('always', { version: String(version) });
  const dropped = (others ? [KEPT, TAKEN] : [KEPT]).map((name) => configMap(name, {}));
  const items = [always, ...(others ? [gadget] : []), ...(version === 1 ? dropped : [])];
  const list = JSON.stringify({ kind: 'ResourceList', items });
  const resource = { kind: 'ConfigMap' };
  const refs = [{ key: 'input', resource }];
  return { image: 'synthesizer:1', command: ['sh', '-c', `sleep 1; echo ${list}`], refs };
}

/** Another Composition has what only the first version prints. */
async function keep({ client }: ScenarioContext): Promise<void> {
  const type = { apiVersion: 'eno.azure.io/v1', kind: 'Composition' };
  const metadata = KEEPER;
  const owner = await client.create(COMPOSITIONS, object({ ...type, metadata, spec: {} }));
  const ownerReferences = [{ ...type, name: metadata.name, uid: owner.metadata.uid, controller: true }];
  const resources = [{ manifest: JSON.stringify(configMap(KEPT, {})) }];
  const slice = { apiVersion: type.apiVersion, kind: 'ResourceSlice', spec: { resources } };
  await client.create(SLICES, object({ ...slice, metadata: { ...metadata, ownerReferences } }));
}

/** The Composition `made`, its synthesizer, which is changed while it runs, and its input, which comes late. */
async function script(context: ScenarioContext, others: boolean): Promise<void> {
  const { client, clock, random } = context;
  await keep(context);
  const apiVersion = 'eno.azure.io/v1';
  const name = 'printer';
  await client.create(
    SYNTHESIZERS,
    object({ apiVersion, kind: 'Synthesizer', metadata: { name }, spec: specOf(1, others) }),
  );
  const bindings = [{ key: 'input', resource: { name: INPUT.name } }];
  const spec = { synthesizer: { name }, bindings };
  // Nobody watches a kind that is not served when it is first applied.
  const annotations = { 'eno.azure.io/reconcile-interval': LOOKS_AGAIN };
  const metadata = others ? { ...MADE, annotations } : MADE;
  await client.create(COMPOSITIONS, object({ apiVersion, kind: 'Composition', metadata, spec }));
  await sleep(clock, random.below(2000));
  await client.create(CONFIG_MAPS, object(configMap(INPUT.name, { x: '1' })));
  const beside = others ? playOthers(context) : undefined;
  for (let version = 2; version <= VERSIONS; version++) {
    await sleep(clock, random.below(60_000));
    await client.patch(SYNTHESIZERS, { name }, { type: 'merge', body: { spec: specOf(version, others) } });
  }
  await beside;
}

/** Beside that, a kind comes and goes, a tool takes an object over, and another Composition may end. */
async function playOthers({ client, clock, random }: ScenarioContext): Promise<void> {
  const steps: (() => Promise<unknown>)[] = [
    () => GADGETS.define(client),
    () => GADGETS.undefine(client),
    () => GADGETS.define(client),
    () => GADGETS.undefine(client),
    async () => random.pick(foreignTools)?.take(client, { namespace: NAMESPACE, name: TAKEN }),
  ];
  if (random.below(3) === 0) steps.push(() => client.delete(COMPOSITIONS, KEEPER));
  while (steps.length > 0) {
    await sleep(clock, random.below(20_000));
    const [step] = steps.splice(random.below(steps.length), 1);
    await step?.();
  }
}

async function missing({ client }: ScenarioContext, others: boolean): Promise<string | undefined> {
  const composition = await ignoreNotFound(client.get(COMPOSITIONS, MADE));
  if (composition === undefined || at(composition, 'status', 'inFlightSynthesis') !== undefined)
    return 'a synthesis is in flight';
  const pods = await client.list<KubeObject>(PODS, { namespace: NAMESPACE });
  if (pods.items.length > 0) return 'a pod is left';
  return (await misplaced(client)) ?? unfinished(client, composition, others);
}

/** What the last version prints is there, and of the rest what others have. */
async function misplaced(client: Client): Promise<string | undefined> {
  const { items } = await client.list<KubeObject>(CONFIG_MAPS, { namespace: NAMESPACE });
  const own = items.filter(({ metadata }) => !OF_OTHERS.test(metadata.name ?? ''));
  const found = own.filter((one) => !isOfTool(one)).map(({ metadata }) => metadata.name);
  const keeper = await ignoreNotFound(client.get(COMPOSITIONS, KEEPER));
  const expected = ['always', ...(keeper === undefined ? [] : [KEPT]), INPUT.name].join(' ');
  if (found.toSorted().join(' ') !== expected) return `there are ${found.toSorted().join(' ')}`;
  const always = own.find(({ metadata }) => metadata.name === 'always');
  return at(always ?? {}, 'data', 'version') === String(VERSIONS) ? undefined : 'the manifests are old';
}

/** All is ready but for what no server could have: that is named, and keeps nothing else. */
async function unfinished(
  client: Client,
  composition: KubeObject,
  others: boolean,
): Promise<string | undefined> {
  const isServed = !others || (await GADGETS.isServed(client));
  const live = await GADGETS.find(client, NAMESPACE, 'gadget');
  if (others && isServed !== (live !== undefined)) return `the gadget is ${isServed ? 'not ' : ''}there`;
  const status = at(composition, 'status', 'simplified', 'status');
  if ((status === 'Ready') !== isServed) return `the Composition is ${JSON.stringify(status)}`;
  const { items } = await client.list<KubeObject>(SLICES, { namespace: NAMESPACE });
  const slices = items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === MADE.name);
  if (slices.length !== 1) return `there are ${slices.length} slices`;
  const named = slices.some((slice) =>
    [0, 1].some((index) => at(stateOf(slice, index), 'reconciliationError') !== undefined),
  );
  return named === isServed ? 'the failure of the gadget is not reported as it is' : undefined;
}

/** What every version prints is there without a gap from when it was first applied. */
function staysThere(history: History): string | undefined {
  const deleted = history.of('configmaps', 'always').find(({ type }) => type === 'DELETED');
  return deleted === undefined ? undefined : 'what every version prints was deleted';
}

/** What a version drops stays where another Composition, or a tool, has it at that moment. */
function isKept({ all }: History): string | undefined {
  let isKeeping = false;
  const live = new Map<string, KubeObject>();
  for (const { resource, object: now, type, at: when } of all) {
    const { name, deletionTimestamp } = now.metadata;
    if (resource === 'compositions' && name === KEEPER.name)
      isKeeping = type !== 'DELETED' && deletionTimestamp === undefined;
    if (resource !== 'configmaps') continue;
    const holder = type === 'DELETED' ? holderOf(live.get(name), isKeeping) : undefined;
    if (holder !== undefined) return `${name} was deleted, which another ${holder} has, at ${when}`;
    live.set(name, now);
  }
  return undefined;
}

function holderOf(before: KubeObject | undefined, isKeeping: boolean): string | undefined {
  if (before !== undefined && isOfTool(before)) return 'tool';
  return before?.metadata.name === KEPT && isKeeping ? 'Composition' : undefined;
}

/**
 * A Composition whose manifests a pod prints, on a node, while the synthesizer changes.
 *
 * @param others whether a kind comes and goes, and other tools and Compositions take what is made and give it up
 */
function dayOf(others: boolean): OperatorDay {
  return {
    name: 'synthesis',
    operator: ownershipParts,
    anyKind: { apiGroups: ['', GADGETS.group], resources: ['configmaps', GADGETS.resource] },
    observed: [
      ['', 'configmaps'],
      ['eno.azure.io', 'compositions'],
    ],
    components: [clusterComponent({ controllers: ['node-lifecycle-controller'], nodes: 1, storage: false })],
    prepare: () => Promise.resolve(),
    script: (context) => script(context, others),
    missing: (context) => missing(context, others),
    calls: 60,
    invariants: { staysThere, isKept },
  };
}

export const synthesisDay: OperatorDay = dayOf(true);

type Options = {
  /** Default: the real one. */
  readonly operator?: OperatorParts;
  /** Default: true. */
  readonly others?: boolean;
};

export function synthesisScenario({ operator, others = true }: Options = {}): Scenario {
  return operatorScenario({ ...dayOf(others), ...defined({ operator }) });
}
