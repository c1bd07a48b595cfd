import {
  type ApiServer,
  createApiServer,
  type StoreSnapshot,
  type UpstreamTransport,
  type UserInfo,
} from '@kubewright/apiserver';
import { type Clock, createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { ClusterError } from '../cluster-error.ts';
import { type LocalKubelets, localKubelets } from '../nodes/kubelet/local-kubelets.ts';
import { createMetricsApi } from '../metrics/metrics-api.ts';
import { History, type Written } from './history.ts';
import { Instance } from './instance.ts';
import type { ScenarioContext, Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import { WebhookNetwork } from './webhook-network.ts';

/** The state in which a world begins. */
export type InitialState = {
  readonly snapshot: StoreSnapshot;
  readonly written: readonly Written[];
  /** Virtual milliseconds. */
  readonly now: number;
};

/** An API server in virtual time, the history of its writes, and what a scenario's own steps need. */
export type SimulatedApi = {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  readonly history: History;
  readonly webhooks: WebhookNetwork;
  readonly kubelets: LocalKubelets;
  readonly context: ScenarioContext;
  /** Ends the context's signal and the server. */
  end(): Promise<void>;
};

export type SimulatedApiOptions = {
  readonly scenario: Scenario;
  readonly random: SeededRandom;
  /** The context's source of randomness. */
  readonly contextRandom: SeededRandom;
  readonly initial?: InitialState;
  readonly onWrite?: (write: Written) => void;
};

/** The user as which a scenario's own steps write. */
export const SCENARIO_USER: UserInfo = {
  username: 'people',
  groups: ['system:masters', 'system:authenticated'],
};

/** The extension transport needs no front-proxy credentials. */
const NO_CREDENTIALS = { cert: '', key: '', ca: '' };

/** A world has no network beside its own. */
const NOTHING_ELSE: UpstreamTransport = {
  call: ({ address }) =>
    Promise.reject(new ClusterError('ConnectionFailed', `${address.host} is not in this world`)),
  addressesOf: (host) => Promise.reject(new ClusterError('ConnectionFailed', `${host} is not in this world`)),
  close: () => undefined,
};

export function createSimulatedApi({
  scenario,
  random,
  contextRandom,
  initial,
  onWrite,
}: SimulatedApiOptions): SimulatedApi {
  const scheduler = new Scheduler(initial?.now);
  const history = new History(initial?.written);
  const chance = random.fork('server');
  const webhooks = new WebhookNetwork(scheduler, random.fork('webhooks'));
  const kubelets = localKubelets();
  const { clock } = new Instance(scheduler);
  // For worlds in which `installMetrics` was called.
  const metrics = createMetricsApi({
    transport: { request: (request) => server.transport().request(request), close: () => Promise.resolve() },
    clock,
  });
  const server: ApiServer = createApiServer({
    clock,
    random: (size) => chance.bytes(size),
    extensions: [history.recorder(scenario.observed, () => scheduler.now, onWrite)],
    history: 10_000,
    webhookTransport: webhooks,
    extensionTransport: { call: ({ path }) => metrics(path), close: () => undefined },
    frontProxy: NO_CREDENTIALS,
    upstreamTransport: kubelets.transport(NOTHING_ELSE),
    ...(initial === undefined ? {} : { snapshot: initial.snapshot }),
  });
  const { context, end } = contextOf(server, clock, contextRandom);
  return { scheduler, server, history, webhooks, kubelets, context, end };
}

/** The context of a scenario's own steps, and what ends it with its server. */
function contextOf(
  server: ApiServer,
  clock: Clock,
  random: SeededRandom,
): Pick<SimulatedApi, 'context' | 'end'> {
  const ended = new AbortController();
  const connect = (user: UserInfo): Transport => server.transport(user);
  const transport = connect(SCENARIO_USER);
  const { signal } = ended;
  return {
    context: { client: createClient(transport), transport, connect, clock, random, signal },
    end: () => {
      ended.abort();
      return server.close();
    },
  };
}
