import { type ApiServer, createApiServer, type StoreSnapshot, type UserInfo } from '@kubewright/apiserver';
import { type Clock, createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
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
    ...(initial === undefined ? {} : { snapshot: initial.snapshot }),
  });
  const { context, end } = contextOf(server, clock, contextRandom);
  return { scheduler, server, history, webhooks, context, end };
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
