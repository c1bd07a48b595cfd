import {
  type Client,
  createClient,
  ignoreNotFound,
  type ResourceRef,
  sleep,
  withRetry,
} from '@kubewright/client';
import {
  addGarbageCollector,
  addNamespaceController,
  type Component,
  type ScenarioContext,
  drawFaults,
  type Scenario,
  type SeededRandom,
  type WorldFault,
} from '@kubewright/cluster';
import {
  corev1,
  type KubeObject,
  type OwnerReference,
  ownerReferenceTo,
  rbacv1,
  type Stored,
} from '@kubewright/kube';
import { createManager, silentLogger } from '@kubewright/runtime';
import { danglingReferences, GC_INVARIANTS, isAllClusterScoped, USER_DELETED } from './gc-invariants.ts';
import type { Tamper } from './tampered-controllers.ts';

const OWN = 'example.com/own';
const OTHER = 'other';
/** The last that the script writes: nothing more will come from people. */
const DONE = { name: 'script-done', namespace: 'default' };
/** Calls that the controllers make until they have listed everything, and some more. */
const CALLS = 130;
const WATCHES = 70;
/** Calls until then are lists and watches. */
const LISTED = 45;

const KINDS: readonly ResourceRef[] = [corev1.configmaps, corev1.secrets, rbacv1.clusterroles];

const controllers = (tamper: Tamper): Component => ({
  name: 'controllers',
  async start({ transport, clock, random, signal }) {
    const bold = tamper(withRetry(transport, { clock, random }));
    const manager = createManager({ client: createClient(bold), clock, random, log: silentLogger });
    addGarbageCollector(manager, { transport: bold });
    addNamespaceController(manager, { transport: bold, delayMs: 0 });
    await manager.start(signal);
  },
});

const OF_WATCHES = ['cut', 'lag', 'repeat'];

/** Strewn over all that the controllers do, and over all that they watch. */
function faults(random: SeededRandom): readonly WorldFault[] {
  const drawn = drawFaults(random, ['controllers'], CALLS).map((fault) =>
    OF_WATCHES.includes(fault.type) && 'call' in fault
      ? { ...fault, call: 1 + random.below(WATCHES) }
      : fault,
  );
  const rivals = Array.from({ length: random.below(8) }, () => {
    const call = LISTED + random.below(CALLS - LISTED);
    return { type: 'rival', component: 'controllers', call } as const;
  });
  return [...drawn, ...rivals];
}

/** Never deleted: who is adopted by it has an owner. */
const KEEPER = { name: 'keeper', namespace: 'default' };

/** Somebody adopts what is about to be collected, in the last moment. */
async function adopt({ client }: ScenarioContext): Promise<void> {
  const keeper = ownerReferenceTo(await client.get(corev1.configmaps, KEEPER));
  const objects = await everything(client);
  for (const { metadata } of objects.filter((object) => danglingReferences([object], objects).length > 0)) {
    const { name = '', namespace, ownerReferences = [], deletionTimestamp } = metadata;
    if (namespace !== KEEPER.namespace || deletionTimestamp !== undefined) continue;
    const isSecret = objects.some((object) => object.metadata === metadata && object.kind === 'Secret');
    const ref: ResourceRef = isSecret ? corev1.secrets : corev1.configmaps;
    const owners = [...ownerReferences, keeper].map((owner) => ({ ...owner }));
    await client.patch(
      ref,
      { name, namespace },
      { type: 'merge', body: { metadata: { ownerReferences: owners } } },
    );
  }
}

async function everything(client: Client): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(KINDS.map((ref) => client.list(ref)));
  return lists.flatMap(({ items }) => items);
}

type Made = { readonly ref: ResourceRef; readonly object: Stored };

/** Makes a random graph of owners and dependents, and deletes in it. */
class Script {
  readonly #context: ScenarioContext;
  readonly #random: SeededRandom;
  readonly #made: Made[] = [];

  constructor(context: ScenarioContext) {
    this.#context = context;
    this.#random = context.random;
  }

  async play(): Promise<void> {
    const size = 4 + this.#random.below(8);
    for (let index = 0; index < size; index++) {
      await this.#pause(1500);
      await this.#make(index);
    }
    await this.#pause(20_000);
    const deletions = 1 + this.#random.below(4);
    for (let index = 0; index < deletions; index++) {
      await this.#pause(8000);
      await this.#delete();
    }
    if (this.#chance(4)) await this.#context.client.delete(corev1.namespaces, { name: OTHER });
    await this.#pause(20_000);
    for (const made of this.#made) await this.#release(made);
    const done = { apiVersion: 'v1', kind: 'ConfigMap', metadata: DONE };
    await this.#context.client.create<KubeObject>(corev1.configmaps, done);
  }

  async #make(index: number): Promise<void> {
    const ref = this.#random.pick(KINDS) ?? corev1.configmaps;
    const namespace = this.#chance(4) ? OTHER : 'default';
    const drawn = Array.from({ length: this.#random.below(3) }, () => this.#reference() ?? []).flat();
    // What has no namespace and names an owner that has one is never collected: whom it blocks would wait for ever.
    const isLost = !ref.namespaced && !isAllClusterScoped(drawn);
    const owners = isLost ? drawn.map((owner) => ({ ...owner, blockOwnerDeletion: false })) : drawn;
    const metadata = {
      name: `object-${index}`,
      ...(ref.namespaced ? { namespace } : {}),
      ownerReferences: owners,
      ...(this.#chance(6) ? { finalizers: [OWN] } : {}),
    };
    const { group, version, kind } = ref;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const made = await this.#context.client.create<KubeObject>(ref, { apiVersion, kind, metadata });
    this.#made.push({ ref, object: made });
  }

  /** To something that was made before; sometimes a lie. */
  #reference(): OwnerReference | undefined {
    const owner = this.#random.pick(this.#made);
    if (owner === undefined) return undefined;
    const reference = ownerReferenceTo(owner.object, { blockOwnerDeletion: this.#chance(2) });
    return this.#chance(8) ? { ...reference, uid: `nobody-${this.#random.below(3)}` } : reference;
  }

  async #delete(): Promise<void> {
    const { client } = this.#context;
    const made = this.#random.pick(this.#made);
    if (made === undefined) return;
    const key = keyOf(made);
    const body = { metadata: { labels: { [USER_DELETED]: 'true' } } };
    const live = await ignoreNotFound(client.patch(made.ref, key, { type: 'merge', body }));
    // Whoever deletes a second time may overrule the wish of the first, and no orphan is released then.
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return;
    const propagationPolicy =
      this.#random.pick(['Background', 'Foreground', 'Orphan'] as const) ?? 'Background';
    await ignoreNotFound(client.delete(made.ref, key, { propagationPolicy }));
  }

  async #release(made: Made): Promise<void> {
    const { client } = this.#context;
    const live = await ignoreNotFound(client.get(made.ref, keyOf(made)));
    const finalizers = live?.metadata.finalizers ?? [];
    if (live === undefined || !finalizers.includes(OWN)) return;
    const metadata = {
      resourceVersion: live.metadata.resourceVersion,
      finalizers: finalizers.filter((one) => one !== OWN),
    };
    // The controllers may write at the same time.
    await client
      .patch(made.ref, keyOf(made), { type: 'merge', body: { metadata } })
      .catch(() => this.#release(made));
  }

  #chance(among: number): boolean {
    return this.#random.below(among) === 0;
  }

  async #pause(most: number): Promise<void> {
    await sleep(this.#context.clock, this.#random.below(most));
  }
}

function keyOf({ object: { metadata } }: Made): { readonly namespace?: string; readonly name: string } {
  const { namespace, name } = metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

async function missing({ client }: ScenarioContext): Promise<string | undefined> {
  if ((await ignoreNotFound(client.get(corev1.configmaps, DONE))) === undefined)
    return 'the end of the script';
  const namespaces = (await client.list(corev1.namespaces)).items;
  const ending = namespaces.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (ending !== undefined) return `the end of namespace ${ending.metadata.name}`;
  const objects = await everything(client);
  const dying = objects.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (dying !== undefined) return `the end of ${dying.metadata.name}`;
  const [dangling] = danglingReferences(objects);
  return dangling;
}

/** Random owner graphs, and users who delete in them, while faults are injected into the controllers. */
export function gcScenario(tamper: Tamper = (transport) => transport): Scenario {
  return {
    name: 'gc',
    observed: [
      ['', 'namespaces'],
      ['', 'configmaps'],
      ['', 'secrets'],
      ['rbac.authorization.k8s.io', 'clusterroles'],
    ],
    components: [controllers(tamper)],
    faults,
    async prepare({ client }) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } };
      await client.create<KubeObject>(corev1.namespaces, namespace);
      await client.create<KubeObject>(corev1.configmaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: KEEPER,
      });
    },
    script: (context) => new Script(context).play(),
    rival: adopt,
    missing,
    invariants: GC_INVARIANTS,
  };
}
