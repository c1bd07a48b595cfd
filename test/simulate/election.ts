import { type Client, createClient, ignoreNotFound, onAbort, sleep, withRetry } from '@kubewright/client';
import type {
  Component,
  History,
  Scenario,
  SeededRandom,
  ComponentEnvironment,
  WorldFault,
} from '@kubewright/cluster';
import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';
import {
  createLeaderElection,
  createManager,
  type LeaderElection,
  RuntimeError,
  silentLogger,
} from '@kubewright/runtime';

const NAMESPACE = 'default';
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
const WORK = { namespace: NAMESPACE, name: 'work' };

/** Virtual milliseconds: so long leaders write without end, and managers come and go. */
const BUSY = 90_000;
const [LEASE, RETRY] = [15_000, 2000];
/** How long a manager that has stopped stays away. */
const AWAY = 3000;
/** Who waits looks at the Lease at least so often. */
const LOOK = 2.2 * RETRY;
/**
 * Longest hand-over: whoever waits learns of the last renewal (at its next look, or once it is back), the Lease runs out
 * so long after that, whoever waits looks, travels.
 */
const HAND_OVER = Math.max(LOOK, AWAY) + LEASE + LOOK + 500;
/** What a write may take to land: the time between giving up and being given up. */
const SLACK = 4500;

export type ElectionVariant = { readonly fenced?: boolean };

/** Writes its term and its name every second or so, guarded by nothing but the fence. */
async function work(
  client: Client,
  election: LeaderElection,
  me: string,
  { clock, random }: ComponentEnvironment,
  signal: AbortSignal,
) {
  let term: number | undefined;
  const write = (data: Record<string, Json>): Promise<KubeObject> =>
    client.patch(CONFIG_MAPS, WORK, { type: 'merge', body: { data: { ...data, term: String(term) } } });
  for (let count = 0; !signal.aborted; count++) {
    try {
      // There is none yet where the clock has jumped since the Lease was taken: until the Lease is renewed.
      term ??= election.term();
      if (term === undefined) throw new RuntimeError('LeaseLost', 'no term');
      if (clock.monotonic() < BUSY) await write({ writer: me, count: String(count) });
      else if (!(await isDone(client))) await write({ writer: me, done: 'yes' });
    } catch {
      // Refused, lost, or not leading: a leader tries again, and one that is none will be stopped.
    }
    await sleep(clock, clock.monotonic() < BUSY ? 200 + 1300 * random() : 10_000, signal);
  }
}

async function isDone(client: Client): Promise<boolean> {
  return text(await client.get(CONFIG_MAPS, WORK), 'data', 'done') === 'yes';
}

/** Runs a manager process until it stops by itself or has lost its Lease. */
async function runManager(
  name: string,
  environment: ComponentEnvironment,
  variant: ElectionVariant,
): Promise<void> {
  const { transport, clock, random, signal } = environment;
  const identity = `${name}_${Math.floor(random() * 1e9)}`;
  const election = createLeaderElection({
    transport,
    clock,
    random,
    identity,
    namespace: NAMESPACE,
    name: 'operator',
    log: silentLogger,
  });
  const client = createClient(
    withRetry(variant.fenced === false ? transport : election.transport, { clock, random }),
  );
  const manager = createManager({ client, clock, random, election, log: silentLogger });
  const stop = new AbortController();
  manager.add({
    async start(ended) {
      // `c` gives way again and again, so that everybody leads at times; the others now and then.
      const stays = clock.monotonic() > BUSY || (name !== 'c' && random() < 0.7);
      const cancel = stays ? () => undefined : clock.after(5000 + random() * 20_000, () => stop.abort());
      await work(client, election, identity, environment, ended);
      cancel();
    },
  });
  const forget = onAbort(signal, () => stop.abort());
  await manager.start(stop.signal).finally(forget);
}

/** A process that is started again whenever it ends. */
const candidate = (name: string, variant: ElectionVariant): Component => ({
  name,
  async start(environment) {
    while (!environment.signal.aborted) {
      try {
        await runManager(name, environment, variant);
      } catch (error) {
        if (!(error instanceof RuntimeError && error.code === 'LeaseLost')) throw error;
      }
      await sleep(environment.clock, AWAY, environment.signal);
    }
  },
});

/** Everything happens to `a` and `b`, nothing to `c`: so there is always one who can take over, and a bound holds. */
function faults(random: SeededRandom): readonly WorldFault[] {
  return Array.from({ length: 1 + random.below(10) }, () => {
    const component = random.pick(['a', 'b']) ?? 'a';
    const [at, call] = [random.below(85_000), 1 + random.below(150)];
    const choices: readonly WorldFault[] = [
      { type: 'pause', component, at, ms: random.below(40_000) },
      { type: 'pause', component, at, ms: 9000 + random.below(8000) },
      { type: 'jump', component, at, ms: random.below(7_200_000) - 3_600_000 },
      { type: 'skew', component, ms: random.below(240_000) - 120_000 },
      { type: 'twin', component, at, ms: random.below(60_000) },
      {
        type: 'crash',
        component,
        call,
        when: random.below(2) === 0 ? 'before' : 'after',
        restartAfter: random.below(20_000),
        behind: 0,
      },
      { type: 'lostRequest', component, call },
      { type: 'lostResponse', component, call },
      { type: 'errorResponse', component, call, status: random.pick([409, 429, 500, 503] as const) ?? 500 },
      { type: 'delay', component, call, ms: random.below(SLACK) },
    ];
    return random.pick(choices) ?? { type: 'compact', at };
  });
}

function text(object: KubeObject | undefined, part: string, name: string): string {
  const value = object?.[part];
  const found = isJsonObject(value) ? getOwn(value, name) : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** When a write lands, the Lease in the store still names who made it, in the term in which it was made. */
function onlyTheHolderWrites(history: History): string | undefined {
  let lease: KubeObject | undefined;
  for (const { resource, object, at } of history.all) {
    if (resource === 'leases') lease = object;
    const writer = text(object, 'data', 'writer');
    if (resource !== 'configmaps' || writer === '') continue;
    const [holder, term] = [text(lease, 'spec', 'holderIdentity'), text(lease, 'spec', 'leaseTransitions')];
    const own = text(object, 'data', 'term');
    if (holder !== writer || term !== own)
      return `at ${at} ${writer} wrote in term ${own} while ${holder} held term ${term}`;
  }
  return undefined;
}

function termsNeverGoBack(history: History): string | undefined {
  let last = 0;
  for (const { object, at } of history.of('configmaps', 'work')) {
    const term = Number(text(object, 'data', 'term'));
    if (term < last) return `at ${at} a write of term ${term} came after one of term ${last}`;
    last = term;
  }
  return undefined;
}

function handOverIsQuick(history: History): string | undefined {
  const hostile = hostileTimes(history);
  let last = 0;
  for (const { at } of history.of('leases', 'operator')) {
    if (at - last > HAND_OVER + hindrance(hostile, last, at))
      return `nobody held the Lease from ${last} to ${at}`;
    last = at;
  }
  return undefined;
}

type Span = { readonly from: number; readonly to: number };

/** When other people's webhooks were registered. */
function hostileTimes(history: History): readonly Span[] {
  const changes = history.all.filter(({ resource }) => resource === 'mutatingwebhookconfigurations');
  return changes
    .filter(({ type }) => type === 'ADDED')
    .map(({ object, at }) => {
      const { name } = object.metadata;
      const end = changes.find((one) => one.type === 'DELETED' && one.object.metadata.name === name);
      return { from: at, to: end?.at ?? Infinity };
    });
}

/** Nobody can hold a Lease that a webhook lets nobody write: so long, and until somebody looks again. */
function hindrance(hostile: readonly Span[], last: number, at: number): number {
  let [ms, until] = [0, last];
  for (const { from, to } of hostile) {
    const end = Math.min(to, at);
    const more = end - Math.max(from, until);
    if (more <= 0) continue;
    ms += more + LOOK;
    until = end;
  }
  return ms;
}

/** Three managers compete; faults are injected into two of them. */
export function electionScenario(variant: ElectionVariant = {}): Scenario {
  return {
    name: 'election',
    observed: [
      ['coordination.k8s.io', 'leases'],
      ['', 'configmaps'],
      ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations'],
    ],
    components: ['a', 'b', 'c'].map((name) => candidate(name, variant)),
    faults,
    stableFor: 30_000,
    isHeartbeat: ({ method, path }) => method === 'PUT' && path.includes('/leases/operator'),
    async prepare({ client }) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: WORK };
      await client.create<KubeObject>(CONFIG_MAPS, map);
    },
    async missing({ client }) {
      const map = await ignoreNotFound(client.get(CONFIG_MAPS, WORK));
      return text(map, 'data', 'done') === 'yes' ? undefined : 'nobody has finished the work';
    },
    invariants: {
      'only the holder writes': onlyTheHolderWrites,
      'terms never go back': termsNeverGoBack,
      'hand-over is quick': handOverIsQuick,
    },
  };
}
