import { sleep } from '@kubewright/client';
import type { History, Scenario, ScenarioContext } from '@kubewright/cluster';
import type { JsonObject, KubeObject } from '@kubewright/kube';
import { ownershipParts } from '@kubewright/operators';
import { clusterComponent } from './cluster-component.ts';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import { at, COMPOSITIONS, NAMESPACE, object, SLICES } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };
const PODS = { group: '', version: 'v1', kind: 'Pod' };
const SYNTHESIZERS = { group: 'eno.azure.io', version: 'v1', kind: 'Synthesizer' };
const INPUT = { namespace: NAMESPACE, name: 'input' };
const MADE = { namespace: NAMESPACE, name: 'made' };
const VERSIONS = 3;
/** ConfigMaps of the namespace that are none of the synthesis's: the cluster's, and that of the scenario `ownership`. */
const OF_OTHERS = /^(kube-|held$|shared-)/;

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: NAMESPACE, name },
  data,
});

/** Prints two objects at first, and then without the second. */
function specOf(version: number): JsonObject {
  const always = configMap('always', { version: String(version) });
  const items = version === 1 ? [always, configMap('first', {})] : [always];
  const list = JSON.stringify({ kind: 'ResourceList', items });
  const resource = { kind: 'ConfigMap' };
  const refs = [{ key: 'input', resource }];
  return { image: 'synthesizer:1', command: ['sh', '-c', `sleep 1; echo ${list}`], refs };
}

/** Another Composition has what only the first version prints. */
async function keep({ client }: ScenarioContext): Promise<void> {
  const type = { apiVersion: 'eno.azure.io/v1', kind: 'Composition' };
  const metadata = { namespace: NAMESPACE, name: 'keeper' };
  const owner = await client.create(COMPOSITIONS, object({ ...type, metadata, spec: {} }));
  const ownerReferences = [{ ...type, name: metadata.name, uid: owner.metadata.uid, controller: true }];
  const resources = [{ manifest: JSON.stringify(configMap('first', {})) }];
  const slice = { apiVersion: type.apiVersion, kind: 'ResourceSlice', spec: { resources } };
  await client.create(SLICES, object({ ...slice, metadata: { ...metadata, ownerReferences } }));
}

/** The Composition `made`, its synthesizer, which is changed while it runs, and its input, which comes late. */
async function script(context: ScenarioContext): Promise<void> {
  const { client, clock, random } = context;
  await keep(context);
  const apiVersion = 'eno.azure.io/v1';
  const name = 'printer';
  await client.create(
    SYNTHESIZERS,
    object({ apiVersion, kind: 'Synthesizer', metadata: { name }, spec: specOf(1) }),
  );
  const bindings = [{ key: 'input', resource: { name: INPUT.name } }];
  const spec = { synthesizer: { name }, bindings };
  await client.create(COMPOSITIONS, object({ apiVersion, kind: 'Composition', metadata: MADE, spec }));
  await sleep(clock, random.below(2000));
  await client.create(CONFIG_MAPS, object(configMap(INPUT.name, { x: '1' })));
  for (let version = 2; version <= VERSIONS; version++) {
    await sleep(clock, random.below(60_000));
    await client.patch(SYNTHESIZERS, { name }, { type: 'merge', body: { spec: specOf(version) } });
  }
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  const composition = await client.get(COMPOSITIONS, MADE).catch(() => undefined);
  if (composition === undefined || at(composition, 'status', 'inFlightSynthesis') !== undefined)
    return 'a synthesis is in flight';
  if (at(composition, 'status', 'simplified', 'status') !== 'Ready') return 'the Composition is not ready';
  const { items } = await client.list<KubeObject>(CONFIG_MAPS, { namespace: NAMESPACE });
  const found = items.map(({ metadata }) => metadata.name).filter((name) => !OF_OTHERS.test(name));
  if (found.toSorted().join(' ') !== 'always first input') return `there are ${found.toSorted().join(' ')}`;
  const always = items.find(({ metadata }) => metadata.name === 'always');
  if (at(always ?? {}, 'data', 'version') !== String(VERSIONS)) return 'the manifests are old';
  const { items: all } = await client.list<KubeObject>(SLICES, { namespace: NAMESPACE });
  const slices = all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === MADE.name);
  if (slices.length !== 1) return `there are ${slices.length} slices`;
  const pods = await client.list<KubeObject>(PODS, { namespace: NAMESPACE });
  return pods.items.length === 0 ? undefined : 'a pod is left';
}

/** What every version prints is there without a gap from when it was first applied. */
function staysThere(history: History): string | undefined {
  const deleted = history.of('configmaps', 'always').find(({ type }) => type === 'DELETED');
  return deleted === undefined ? undefined : 'what every version prints was deleted';
}

/** What a version drops stays where another Composition has it. */
function isKept(history: History): string | undefined {
  const deleted = history.of('configmaps', 'first').find(({ type }) => type === 'DELETED');
  return deleted === undefined ? undefined : `what another Composition has was deleted, at ${deleted.at}`;
}

/** A Composition whose manifests a pod prints, on a node, while the synthesizer changes. */
export const synthesisDay: OperatorDay = {
  name: 'synthesis',
  operator: ownershipParts,
  anyKind: { apiGroups: [''], resources: ['configmaps'] },
  observed: [
    ['', 'configmaps'],
    ['eno.azure.io', 'compositions'],
  ],
  components: [clusterComponent({ controllers: ['node-lifecycle-controller'], nodes: 1, storage: false })],
  prepare: () => Promise.resolve(),
  script,
  missing,
  calls: 60,
  invariants: { staysThere, isKept },
};

export function synthesisScenario(): Scenario {
  return operatorScenario(synthesisDay);
}
