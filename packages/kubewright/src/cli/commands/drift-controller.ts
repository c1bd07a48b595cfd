import { addStandaloneController } from '@kubewright/operators';
import { createManager, createPinoLogger } from '@kubewright/runtime';
import type { DriftControllerOptions } from '../../command-options.ts';
import { runProcess } from '../run-process.ts';
import { GRACEFUL_MS } from '../../run/close-in-time.ts';
import type { Terminal } from '../../terminal.ts';
import { connect } from '../connect.ts';

/** `kubewright drift controller`: has a webhook that somebody else installed called for what policies name. */
export async function driftController(options: DriftControllerOptions, terminal: Terminal): Promise<void> {
  const { leaderElect, webhookNamespace: namespace } = options;
  const { transport, url } = await connect(options, terminal);
  const manager = createManager({
    name: 'kausality-controller',
    transport,
    gracefulMs: GRACEFUL_MS,
    log: createPinoLogger({ destination: { write: terminal.err } }),
    ...(leaderElect ? { election: { namespace } } : {}),
  });
  addStandaloneController(manager, options);
  await runProcess(manager, { ...options, transport, url }, terminal);
}
