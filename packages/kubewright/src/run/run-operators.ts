import { type Client, createClient, sleep, systemClock, withRetry } from '@kubewright/client';
import { type Condition, getCondition, type KubeObject, type Transport } from '@kubewright/kube';
import { type Operator, ownershipOperator } from '@kubewright/operators';
import {
  createHealthServer,
  createManager,
  createPinoLogger,
  type LeaderElection,
} from '@kubewright/runtime';
import type { Terminal } from '../cli/terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';

const OPERATORS: readonly Operator[] = [ownershipOperator];

const DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

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
  /** Absent: there is no other manager. */
  readonly election?: LeaderElection;
  /** Serves `/healthz`, `/readyz` and `/metrics` there; 0 does not. */
  readonly healthPort?: number;
};

/**
 * Creates what the operators need and starts them. Resolves when they work, or when they stand by with full caches
 * because another manager leads.
 */
export async function runOperators(options: RunOptions, terminal: Terminal): Promise<RunningOperators> {
  const { names, bare, election, healthPort = 0 } = options;
  const operators = chooseOperators(names);
  // Definitions are the same from every replica, and standing by needs them.
  const unguarded = createClient(withRetry(bare));
  for (const operator of operators) await define(unguarded, operator.definitions, terminal.signal);
  const client = election === undefined ? unguarded : createClient(withRetry(election.transport));
  const log = createPinoLogger({ level: 'warn' });
  const manager = createManager({ client, log, ...(election === undefined ? {} : { election }) });
  for (const operator of operators) operator.addTo(manager, terminal.env);
  if (healthPort !== 0) manager.add(createHealthServer(manager, { port: healthPort }));
  const ended = manager.start(terminal.signal);
  await Promise.race([manager.cache.waitForSync(terminal.signal), ended]);
  return { ended };
}

/** Also brings definitions of an earlier version up to date: fields that they lack would be pruned from our status. */
async function define(
  client: Client,
  definitions: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const definition of definitions) {
    await client.apply(DEFINITIONS, definition, { fieldManager: 'kubewright', force: true });
    await established(client, definition.metadata.name ?? '', signal);
  }
}

type Definition = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** A definition is served some time after it was accepted. */
async function established(client: Client, name: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { status } = await client.get<Definition>(DEFINITIONS, { name });
    if (getCondition(status?.conditions, 'Established')?.status === 'True') return;
    await sleep(systemClock, 50, signal);
  }
}
