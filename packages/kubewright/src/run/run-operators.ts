import type { UserInfo } from '@kubewright/apiserver';
import { type Client, createClient, sleep, systemClock, withRetry } from '@kubewright/client';
import { defined, errorText, type Transport } from '@kubewright/kube';
import {
  accountUser,
  anyKindRoles,
  installAccounts,
  installWebhooks,
  LOOPBACK,
  MANAGER,
  type Operator,
  OPERATORS,
  servedWebhooks,
  type WebhookPlace,
} from '@kubewright/operators';
import {
  createCertificateFolder,
  createHealthServer,
  createManager,
  createPinoLogger,
  type Manager,
  type ManagerHealth,
  type ManagerWebhookOptions,
  type Registry,
  SET_UP_RETRIES,
} from '@kubewright/runtime';
import type { Terminal } from '../terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';
import { electionOf } from './election-of.ts';
import { installKinds } from './install-kinds.ts';
import { type LoadedOperator, type OperatorHealth, operatorHealth } from './operator-health.ts';
import { operatorManager } from './operator-manager.ts';
import { GRACEFUL_MS } from './close-in-time.ts';
import { requirePorts } from './require-ports.ts';
import { requireNamespace } from './require-namespace.ts';
import { isUncalled, requireNoService } from './webhook-callers.ts';

/** Operators at work. */
export type RunningOperators = {
  /** Resolves when a signal has stopped them. */
  readonly ended: Promise<void>;
  /** What is wrong, and with which operator. */
  readonly health: () => ManagerHealth;
};

/** The operators of these names. */
export function chooseOperators(names: readonly string[]): readonly Operator[] {
  return [...new Set(names)].map((name) => {
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
  /** Called there, outside of the cluster: webhooks are installed with it. Its port, if it has none, is the one that is served. */
  readonly webhookUrl?: URL;
  /** No Service of the cluster leads to this process: then it ends where nothing calls the webhooks that it needs. */
  readonly isOutside?: boolean;
  /** A folder with their certificate and key, which somebody else renews. Default: the manager issues its own. */
  readonly certificates?: string;
  /** CustomResourceDefinitions are there and are not written. */
  readonly hasDefinitions?: boolean;
  /** Of the JSON lines on standard error. Default `info`: each decision that writes something is a line. */
  readonly logLevel?: 'info' | 'warn';
  /** Default: one of its own. */
  readonly registry?: Registry;
  /** Serves `/healthz`, `/readyz` and `/metrics` there; 0 does not. */
  readonly healthPort?: number;
  /** For how long they work on after the signal, unready. Default 0. */
  readonly shutdownDelayMs?: number;
};

/**
 * Creates what the operators need and starts them. Resolves when they work and their webhooks are called, or when they
 * stand by with full caches because another manager leads. What one of them cannot do is in `health`, and stops no
 * other.
 */
export async function runOperators(options: RunOptions, terminal: Terminal): Promise<RunningOperators> {
  const { bare, connect, webhooks: place = LOOPBACK, healthPort = 0 } = options;
  const { signal } = terminal;
  const operators = await Promise.all(options.operators.map(loaded));
  const parts = operators.map((operator) => operator.parts);
  const trouble = operatorHealth(operators);
  const client = createClient(withRetry(bare));
  const setUp = createClient(withRetry(bare, { maxRetries: SET_UP_RETRIES }));
  const webhooks = servedWebhooks(parts, place);
  await requirePorts([...(webhooks === undefined ? [] : [place]), { port: healthPort }]);
  const { hasDefinitions = false } = options;
  const preparation = { trouble, signal, hasDefinitions, isOwn: connect !== undefined };
  const prepared = prepare(setUp, operators, preparation);
  await unlessStopped(prepared, signal);
  if (connect === undefined && webhooks !== undefined) {
    await unlessStopped(requireNamespace(client, place.namespace, signal), signal);
    await unlessStopped(requireCallers(client, operators, { options, terminal, trouble }), signal);
  }
  const manager = managerFor(options, { webhooks: webhooks?.options, operators, trouble }, terminal);
  const health = (): ManagerHealth => trouble.describe(manager.health());
  if (healthPort !== 0) manager.add(createHealthServer({ ...manager, health }, { port: healthPort }));
  addParts(operators, manager, { options, terminal, trouble });
  const ended = manager.start(signal);
  const serve = async (): Promise<void> => {
    await settled(manager, signal);
    const { webhookUrl } = options;
    if ((connect === undefined && webhookUrl === undefined) || webhooks === undefined) return;
    const { host, port } = webhookUrl ?? { host: place.hosts[0], port: '' };
    const url = `https://${host}${port === '' ? `:${await webhooks.port}` : ''}`;
    await callWebhooks(client, operators, { url, signal, trouble });
    if (webhookUrl !== undefined) await requireCalls(client, operators, { url, signal });
  };
  await Promise.race([serve(), ended]);
  return { ended, health };
}

async function loaded(operator: Operator): Promise<LoadedOperator> {
  return { name: operator.name, parts: await operator.load() };
}

type Preparation = {
  readonly trouble: OperatorHealth;
  readonly signal: AbortSignal;
  /** The cluster is this process's: it makes accounts, too, which may work on objects of every kind. */
  readonly isOwn: boolean;
  readonly hasDefinitions: boolean;
};

async function prepare(
  client: Client,
  operators: readonly LoadedOperator[],
  { trouble, signal, isOwn, hasDefinitions }: Preparation,
): Promise<void> {
  if (!hasDefinitions) await installKinds(client, operators, { trouble, signal });
  if (!isOwn) return;
  const parts = operators.map((operator) => operator.parts);
  const more = anyKindRoles(parts, { apiGroups: ['*'], resources: ['*'] });
  await installAccounts(client, parts, { signal, more });
}

/** Before anything is served: what must not be called twice, and what nobody would call. */
async function requireCallers(
  client: Client,
  operators: readonly LoadedOperator[],
  { options: { webhookUrl, isOutside = false }, terminal: { signal, err }, trouble }: Around,
): Promise<void> {
  if (webhookUrl !== undefined) return requireNoService(client, operators, signal);
  if (!isOutside) return;
  const needy = operators.filter(({ parts }) => parts.isCalled !== undefined);
  const found = await Promise.all(needy.map((one) => isUncalled(client, one, signal)));
  const idle = needy.filter((_one, index) => found[index]);
  for (const { name } of idle) {
    const message = `${name} does nothing, because no API server calls its webhook in this process: name where one reaches it with --webhook-url https://HOST:PORT, or run it in the cluster: kubewright install --operators ${name} | kubectl apply -f -`;
    if (idle.length === operators.length) throw new KubewrightError('Refused', message);
    trouble.report(name, 'its webhooks are not called', message);
    err(`kubewright: ${message}\n`);
  }
  await warnOfUnchecked(client, operators, { signal, err });
}

async function warnOfUnchecked(
  client: Client,
  operators: readonly LoadedOperator[],
  { signal, err }: Pick<Terminal, 'signal' | 'err'>,
): Promise<void> {
  for (const { parts } of operators) {
    // Where that is not known, each request says so.
    const message = await parts.unchecked?.(client, signal).catch(() => undefined);
    if (message !== undefined) err(`kubewright: ${message}\n`);
  }
}

const CALLED_WITHIN_MS = 30_000;
const CALL_EVERY_MS = 500;

/** Resolves when the API server reaches this process, which may take a moment after its webhooks are installed. */
async function requireCalls(
  client: Client,
  operators: readonly LoadedOperator[],
  { url, signal }: { readonly url: string; readonly signal: AbortSignal },
): Promise<void> {
  const until = systemClock.monotonic() + CALLED_WITHIN_MS;
  for (const { name, parts } of operators)
    while (!signal.aborted && parts.isCalled !== undefined && !(await parts.isCalled(client))) {
      if (systemClock.monotonic() > until) {
        const message = `the API server does not reach ${name} at ${url}: is that address this machine's, and open? Until it does, what policies enforce is not written; to end that: kubectl delete mutatingwebhookconfiguration kubewright-${name}`;
        throw new KubewrightError('Unreachable', message);
      }
      await sleep(systemClock, CALL_EVERY_MS, signal);
    }
}

/** What is stopped has not failed. */
async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

type Around = {
  readonly options: RunOptions;
  readonly terminal: Terminal;
  readonly trouble: OperatorHealth;
};

function addParts(
  operators: readonly LoadedOperator[],
  shared: Manager,
  { options: { bare, connect }, terminal, trouble }: Around,
): void {
  for (const { name, parts } of operators) {
    const manager = operatorManager(shared, name, trouble);
    for (const part of parts.parts) {
      const own = connect?.(accountUser(part.account)) ?? (part.writesOnStandby ? bare : undefined);
      part.add(own === undefined ? manager : manager.as(createClient(withRetry(own))), terminal.env);
    }
  }
}

const LOOK_EVERY_MS = 20;

/** Resolves when every cache is full, or has failed so often that nothing should wait for it. */
async function settled(manager: Manager, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const someFail = async (): Promise<void> => {
    while (!done.signal.aborted && !hasFailed(manager.health()))
      await sleep(manager.clock, LOOK_EVERY_MS, done.signal);
  };
  try {
    await Promise.race([manager.cache.waitForSync(signal), someFail()]);
  } finally {
    done.abort();
  }
}

function hasFailed({ kinds }: ManagerHealth): boolean {
  const all = kinds.map(({ condition }) => condition);
  return all.includes('failing') && !all.includes('syncing');
}

type Callers = Pick<Preparation, 'trouble' | 'signal'> & { readonly url: string };

async function callWebhooks(
  client: Client,
  operators: readonly LoadedOperator[],
  { url, signal, trouble }: Callers,
): Promise<void> {
  for (const { name, parts } of operators)
    await installWebhooks(client, [parts], { url, signal }).catch((error: unknown) => {
      if (!signal.aborted) trouble.report(name, 'its webhooks are not called', errorText(error));
    });
}

type Managed = Pick<Around, 'trouble'> & {
  readonly webhooks: ManagerWebhookOptions | undefined;
  readonly operators: readonly LoadedOperator[];
};

function managerFor(
  { bare, connect, leaseNamespace, certificates, logLevel = 'info', registry, shutdownDelayMs }: RunOptions,
  { webhooks, operators, trouble }: Managed,
  { err }: Terminal,
): Manager {
  const log = createPinoLogger({ level: logLevel, destination: { write: err } });
  const folder =
    webhooks === undefined || certificates === undefined
      ? undefined
      : createCertificateFolder({ folder: certificates, log });
  const served = folder === undefined ? webhooks : { ...webhooks, certificates: folder };
  const manager = createManager({
    name: 'kubewright',
    transport: connect === undefined ? bare : connect(accountUser(MANAGER)),
    ...(leaseNamespace === undefined
      ? {}
      : { election: electionOf(leaseNamespace, operators, { trouble, log }) }),
    log,
    gracefulMs: GRACEFUL_MS,
    ...defined({ registry, webhooks: served, shutdownDelayMs }),
  });
  if (folder !== undefined) manager.add(folder);
  return manager;
}
