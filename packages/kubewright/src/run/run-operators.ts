import { createClient, withRetry } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { type Operator, ownershipOperator } from '@kubewright/operators';
import {
  createHealthServer,
  createManager,
  createPinoLogger,
  installDefinitions,
  type LeaderElection,
  type Registry,
} from '@kubewright/runtime';
import type { Terminal } from '../cli/terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';

const OPERATORS: readonly Operator[] = [ownershipOperator];

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
  const { names, bare, election, registry, healthPort = 0 } = options;
  const operators = chooseOperators(names);
  // Definitions are the same from every replica, and standing by needs them.
  const unguarded = createClient(withRetry(bare));
  const definitions = operators.flatMap((operator) => operator.definitions);
  const { signal } = terminal;
  await installDefinitions(unguarded, definitions, { fieldManager: 'kubewright', signal }).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  const client = election === undefined ? unguarded : createClient(withRetry(election.transport));
  const log = createPinoLogger({ level: 'warn' });
  const manager = createManager({
    client,
    log,
    ...(registry === undefined ? {} : { registry }),
    ...(election === undefined ? {} : { election }),
  });
  for (const operator of operators) operator.addTo(manager, terminal.env);
  if (healthPort !== 0) manager.add(createHealthServer(manager, { port: healthPort }));
  const ended = manager.start(signal);
  await Promise.race([manager.cache.waitForSync(signal), ended]);
  return { ended };
}
