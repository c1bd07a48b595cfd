import type { Transport } from '@kubewright/kube';
import { type Operator, ownershipOperator } from '@kubewright/operators';
import { createManager, createPinoLogger, type Registry } from '@kubewright/runtime';
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
  /** Where the Lease is that all managers of a cluster compete for. Absent: there is no other manager. */
  readonly leaseNamespace?: string;
  /** Of the JSON lines on standard error. Default `info`. */
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
  const { names, bare, leaseNamespace, logLevel = 'info', registry, healthPort = 0 } = options;
  const operators = chooseOperators(names);
  const { signal, env } = terminal;
  const manager = createManager({
    name: 'kubewright',
    transport: bare,
    definitions: operators.flatMap(({ definitions }) => definitions),
    ...(leaseNamespace === undefined ? {} : { election: { namespace: leaseNamespace } }),
    log: createPinoLogger({ level: logLevel, destination: { write: terminal.err } }),
    ...(registry === undefined ? {} : { registry }),
    ...(healthPort === 0 ? {} : { health: { port: healthPort } }),
  });
  for (const operator of operators) operator.addTo(manager, env);
  const ended = manager.start(signal);
  await Promise.race([manager.cache.waitForSync(signal), ended]);
  return { ended };
}
