import type { UserInfo } from '@kubewright/apiserver';
import { createClient, withRetry } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  accountUser,
  anyKindRoles,
  installOperators,
  installWebhooks,
  LOOPBACK,
  MANAGER,
  type Operator,
  type OperatorParts,
  OPERATORS,
  servedWebhooks,
  type WebhookPlace,
} from '@kubewright/operators';
import {
  createManager,
  createPinoLogger,
  type Manager,
  type ManagerWebhookOptions,
  type Registry,
} from '@kubewright/runtime';
import type { Terminal } from '../cli/terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';

/** Operators at work. `ended` resolves when a signal has stopped them. */
export type RunningOperators = { readonly ended: Promise<void> };

/** The operators of these names. */
export function chooseOperators(names: readonly string[]): readonly Operator[] {
  return names.map((name) => {
    const operator = OPERATORS.find((one) => one.name === name);
    if (operator !== undefined) return operator;
    const known = OPERATORS.map((one) => one.name).join(', ');
    throw new KubewrightError('Usage', `there is no operator "${name}"; there is ${known}`);
  });
}

export type RunOptions = {
  readonly operators: readonly Operator[];
  /** Without repetition: calls are repeated above what may refuse them. */
  readonly bare: Transport;
  /**
   * Where every user of the cluster may be had, and nothing is installed: definitions, accounts, roles and webhooks
   * are, and the manager and each part of an operator call as their service accounts. Absent: all of it is installed
   * (`kubewright install`), and everything calls as who `bare` is.
   */
  readonly connect?: (user: UserInfo) => Transport;
  /** Where the Lease is that all managers of a cluster compete for. Absent: there is no other manager. */
  readonly leaseNamespace?: string;
  /** Where webhooks are served. Default: on a free port of loopback, for an API server in this process. */
  readonly webhooks?: WebhookPlace;
  /** Of the JSON lines on standard error. Default `info`: each decision that writes something is a line. */
  readonly logLevel?: 'info' | 'warn';
  /** Default: one of its own. */
  readonly registry?: Registry;
  /** Serves `/healthz`, `/readyz` and `/metrics` there; 0 does not. */
  readonly healthPort?: number;
};

/**
 * Creates what the operators need and starts them. Resolves when they work and their webhooks are called, or when they
 * stand by with full caches because another manager leads.
 */
export async function runOperators(options: RunOptions, terminal: Terminal): Promise<RunningOperators> {
  const { bare, connect, webhooks: place = LOOPBACK } = options;
  const { signal } = terminal;
  const operators = await Promise.all(options.operators.map((operator) => operator.load()));
  if (connect !== undefined) await installAccounts(bare, operators, signal);
  const webhooks = servedWebhooks(operators, place);
  const manager = managerFor(options, operators, webhooks?.options, terminal);
  for (const part of operators.flatMap(({ parts }) => parts)) {
    const own = connect && createClient(withRetry(connect(accountUser(part.account))));
    part.add(own === undefined ? manager : manager.as(own), terminal.env);
  }
  const ended = manager.start(signal);
  const serve = async (): Promise<void> => {
    await manager.cache.waitForSync(signal);
    if (connect === undefined || webhooks === undefined) return;
    const url = `https://${place.hosts[0]}:${await webhooks.port}`;
    await unlessStopped(installWebhooks(createClient(withRetry(bare)), operators, { url, signal }), signal);
  };
  await Promise.race([serve(), ended]);
  return { ended };
}

/** Accounts on a cluster of one's own; they may work on objects of every kind. */
async function installAccounts(
  bare: Transport,
  operators: readonly OperatorParts[],
  signal: AbortSignal,
): Promise<void> {
  const all = { apiGroups: ['*'], resources: ['*'] };
  const more = anyKindRoles(operators, all);
  await unlessStopped(installOperators(createClient(withRetry(bare)), operators, { signal, more }), signal);
}

/** What is stopped has not failed. */
async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function managerFor(
  { bare, connect, leaseNamespace, logLevel = 'info', registry, healthPort = 0 }: RunOptions,
  operators: readonly OperatorParts[],
  webhooks: ManagerWebhookOptions | undefined,
  { err }: Terminal,
): Manager {
  const definitions = operators.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  return createManager({
    name: 'kubewright',
    ...(connect === undefined
      ? { transport: bare, definitions }
      : { transport: connect(accountUser(MANAGER)) }),
    ...(leaseNamespace === undefined ? {} : { election: { namespace: leaseNamespace } }),
    log: createPinoLogger({ level: logLevel, destination: { write: err } }),
    ...(registry === undefined ? {} : { registry }),
    ...(healthPort === 0 ? {} : { health: { port: healthPort } }),
    ...(webhooks === undefined ? {} : { webhooks }),
  });
}
