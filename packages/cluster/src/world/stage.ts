import { type ApiServer, createApiServer, type StoreSnapshot, type UserInfo } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { createMetricsApi } from '../metrics/metrics-api.ts';
import { History, type Written } from './history.ts';
import { Life } from './life.ts';
import type { Director, Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import { WebhookNetwork } from './webhook-network.ts';

/** What a world begins with. */
export type Beginning = {
  readonly snapshot: StoreSnapshot;
  readonly written: readonly Written[];
  /** Virtual milliseconds. */
  readonly now: number;
};

/** A server in virtual time, all that is written on it, and what a scenario's own steps need. */
export type Stage = {
  readonly scheduler: Scheduler;
  readonly server: ApiServer;
  readonly history: History;
  readonly webhooks: WebhookNetwork;
  readonly director: Director;
  /** Ends the director's signal and the server. */
  end(): Promise<void>;
};

export type StageOptions = {
  readonly scenario: Scenario;
  readonly random: SeededRandom;
  /** What the director draws from. */
  readonly directorRandom: SeededRandom;
  readonly beginning?: Beginning;
  readonly tell?: (write: Written) => void;
};

/** As whom a scenario's own steps write. */
export const DIRECTOR: UserInfo = { username: 'people', groups: ['system:masters', 'system:authenticated'] };

/** Whom nobody asks who he is. */
const NOBODY = { cert: '', key: '', ca: '' };

export function createStage({ scenario, random, directorRandom, beginning, tell }: StageOptions): Stage {
  const scheduler = new Scheduler(beginning?.now);
  const history = new History(beginning?.written);
  const chance = random.fork('server');
  const webhooks = new WebhookNetwork(scheduler, random.fork('webhooks'));
  const { clock } = new Life(scheduler);
  // For worlds in which `installMetrics` was called.
  const metrics = createMetricsApi({
    transport: { request: (request) => server.transport().request(request), close: () => Promise.resolve() },
    clock,
  });
  const server: ApiServer = createApiServer({
    clock,
    random: (size) => chance.bytes(size),
    extensions: [history.recorder(scenario.observed, () => scheduler.now, tell)],
    history: 10_000,
    webhookTransport: webhooks,
    extensionTransport: { call: ({ path }) => metrics(path), close: () => undefined },
    frontProxy: NOBODY,
    ...(beginning === undefined ? {} : { snapshot: beginning.snapshot }),
  });
  const ended = new AbortController();
  const connect = (user: UserInfo): Transport => server.transport(user);
  const transport = connect(DIRECTOR);
  const director: Director = {
    client: createClient(transport),
    transport,
    connect,
    clock,
    random: directorRandom,
    signal: ended.signal,
  };
  const end = (): Promise<void> => {
    ended.abort();
    return server.close();
  };
  return { scheduler, server, history, webhooks, director, end };
}
