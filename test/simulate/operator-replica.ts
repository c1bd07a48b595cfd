import { createClient, sleep, withRetry } from '@kubewright/client';
import { watchDenials } from './watch-denials.ts';
import type { Component, ComponentEnvironment } from '@kubewright/cluster';
import { accountUser, type Environment, MANAGER, NAMESPACE, type OperatorParts } from '@kubewright/operators';
import {
  type CertificateSource,
  createLeaderElection,
  createManager,
  RuntimeError,
  silentLogger,
  type WebhookListen,
} from '@kubewright/runtime';

/** Where the API server of a world calls the operator's webhooks. */
export const WEBHOOKS_URL = 'https://operator.test';

/** Twice and more of the defaults: renewals are most of what a world at rest does. */
const PERIODS = { leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 5000 };

/** How long a manager that lost its Lease stays away. */
const RESTART_MS = 1000;

type ReplicaOptions = {
  readonly name: string;
  readonly operator: (environment: ComponentEnvironment) => OperatorParts;
  readonly env: Environment;
  /** It competes with others for the Lease of the manager. */
  readonly elected: boolean;
  /** Where its webhooks are called. Default: {@link WEBHOOKS_URL}. */
  readonly webhooksUrl?: string;
};

/** One process of the operator's manager, which is started again when it has lost its Lease. */
export function operatorReplica(options: ReplicaOptions): Component {
  return {
    name: options.name,
    async start(environment) {
      while (!environment.signal.aborted) {
        try {
          await runReplica(options, environment);
        } catch (error) {
          if (!(error instanceof RuntimeError && error.code === 'LeaseLost')) throw error;
        }
        await sleep(environment.clock, RESTART_MS, environment.signal);
      }
    },
  };
}

/** Each part calls under its account; what only a leader may write goes over the fence of the election. */
async function runReplica(options: ReplicaOptions, environment: ComponentEnvironment): Promise<void> {
  const { name, env, elected, webhooksUrl = WEBHOOKS_URL } = options;
  const operator = options.operator(environment);
  const { clock, random, signal } = environment;
  const denials = watchDenials();
  const connect = (account: string) => denials.watch(environment.connect(accountUser(account)));
  const transport = connect(MANAGER);
  const log = silentLogger;
  const identity = `${name}_${Math.floor(random() * 1e9)}`;
  const lease = { ...PERIODS, namespace: NAMESPACE, name: MANAGER, identity };
  const election = elected ? createLeaderElection({ ...lease, transport, clock, random, log }) : undefined;
  const as = (account: string) => {
    const way = connect(account);
    return createClient(withRetry(election?.fenced(way) ?? way, { clock, random }));
  };
  const manager = createManager({
    client: as(MANAGER),
    clock,
    random,
    log,
    ...(election && { election }),
    ...(operator.webhooks && {
      webhooks: { certificates: ANY_CERTIFICATE, listen: listenIn(environment, webhooksUrl) },
    }),
  });
  for (const { account, writesOnStandby, ...part } of operator.parts) {
    const client = writesOnStandby
      ? createClient(withRetry(connect(account), { clock, random }))
      : as(account);
    part.add(manager.as(client), env);
  }
  await Promise.race([manager.start(signal), denials.first]);
}

/** Nobody verifies it: how certificates are made and replaced is the scenario `webhooks`. */
const ANY_CERTIFICATE: CertificateSource = {
  current: () => ({ cert: '', key: '', notAfter: Infinity }),
  onChange: () => () => undefined,
};

/** A webhook server listens on the network of the world. */
function listenIn({ serveWebhooks }: ComponentEnvironment, at: string): WebhookListen {
  return async (_certificate, _address, handler) => {
    const { host, port } = new URL(at);
    const end = serveWebhooks(host, async ({ url, headers, body, signal }) => {
      const { pathname: path } = new URL(url);
      const call = { path, url: path, method: 'POST', certificate: undefined, headers, signal };
      const response = await handler({ ...call, body: async () => body });
      const { status, headers: sent } = response;
      return { status, contentType: sent['content-type'] ?? '', body: Buffer.from(response.body as string) };
    });
    return { port: Number(port), use: () => undefined, stop: async () => end() };
  };
}
