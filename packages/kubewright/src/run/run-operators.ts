import type { UserInfo } from '@kubewright/apiserver';
import { createClient, withRetry } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  accountUser,
  anyKindRole,
  installOperators,
  MANAGER_ACCOUNT,
  type Operator,
  type OperatorParts,
  OPERATORS,
} from '@kubewright/operators';
import { createManager, createPinoLogger, type Manager, type Registry } from '@kubewright/runtime';
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
  readonly names: readonly string[];
  /** Without repetition: calls are repeated above what may refuse them. */
  readonly bare: Transport;
  /** Where every user of the cluster may be had: each part of an operator then calls as its service account. */
  readonly connect?: (user: UserInfo) => Transport;
  /** Where the Lease is that all managers of a cluster compete for. Absent: there is no other manager. */
  readonly leaseNamespace?: string;
  /** Of the JSON lines on standard error. Default `info`: each decision that writes something is a line. */
  readonly logLevel?: 'info' | 'warn';
  /** Default: one of its own. */
  readonly registry?: Registry;
  /** Serves `/healthz`, `/readyz` and `/metrics` there; 0 does not. */
  readonly healthPort?: number;
};

/**
 * Creates what the operators need and starts them. Resolves when they work, or when they stand by with full caches
 * because another manager leads.
 */
export async function runOperators(options: RunOptions, terminal: Terminal): Promise<RunningOperators> {
  const { names, connect } = options;
  const { signal } = terminal;
  const operators = await Promise.all(chooseOperators(names).map((operator) => operator.load()));
  if (connect !== undefined) await installAccounts(options.bare, operators, signal);
  const manager = managerFor(options, operators, terminal);
  for (const part of operators.flatMap(({ parts }) => parts)) {
    const own = connect && createClient(withRetry(connect(accountUser(part.account))));
    part.add(own === undefined ? manager : manager.as(own), terminal.env);
  }
  const ended = manager.start(signal);
  await Promise.race([manager.cache.waitForSync(signal), ended]);
  return { ended };
}

/** Accounts on a cluster of one's own; they may work on objects of every kind. */
async function installAccounts(
  bare: Transport,
  operators: readonly OperatorParts[],
  signal: AbortSignal,
): Promise<void> {
  const all = { apiGroups: ['*'], resources: ['*'] };
  const more = operators.flatMap(({ parts }) => parts.map((part) => anyKindRole(part, all)));
  await installOperators(createClient(withRetry(bare)), operators, { signal, more }).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
}

function managerFor(
  { bare, connect, leaseNamespace, logLevel = 'info', registry, healthPort = 0 }: RunOptions,
  operators: readonly OperatorParts[],
  { err }: Terminal,
): Manager {
  const definitions = operators.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  return createManager({
    name: 'kubewright',
    // Accounts that were made have definitions already, and not the right to make any.
    ...(connect === undefined
      ? { transport: bare, definitions }
      : { transport: connect(accountUser(MANAGER_ACCOUNT)) }),
    ...(leaseNamespace === undefined ? {} : { election: { namespace: leaseNamespace } }),
    log: createPinoLogger({ level: logLevel, destination: { write: err } }),
    ...(registry === undefined ? {} : { registry }),
    ...(healthPort === 0 ? {} : { health: { port: healthPort } }),
  });
}
