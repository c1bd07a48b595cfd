import { createHealthServer, type Manager } from '@kubewright/runtime';
import type { Transport } from '@kubewright/kube';
import type { ProbeAddresses } from '../command-options.ts';
import { closeInTime } from '../run/close-in-time.ts';
import { explainApiError } from './connect.ts';
import type { Terminal } from '../terminal.ts';

type ProcessOptions = ProbeAddresses & {
  readonly transport: Transport;
  readonly url: string;
  readonly shutdownDelaySeconds?: number;
  /** Resolves when it serves what it has to, besides its caches. */
  readonly isServing?: Promise<unknown>;
};

/** Runs a manager until a signal, with its probes and metrics; says `ready` once it works. */
export async function runProcess(
  manager: Manager,
  {
    healthProbeBindAddress,
    metricsBindAddress,
    transport,
    url,
    isServing,
    shutdownDelaySeconds = 0,
  }: ProcessOptions,
  terminal: Terminal,
): Promise<void> {
  closeInTime(transport, terminal, shutdownDelaySeconds * 1000);
  const addresses = [healthProbeBindAddress, metricsBindAddress].filter((address) => address !== undefined);
  const distinct = new Map(addresses.map((address) => [`${address.host}:${address.port}`, address]));
  for (const address of distinct.values()) manager.add(createHealthServer(manager, address));
  try {
    const ended = manager.start(terminal.signal);
    const ready = Promise.all([isServing, manager.cache.waitForSync(terminal.signal)]);
    await Promise.race([ready, ended]);
    if (!terminal.signal.aborted) terminal.out('ready\n');
    await ended;
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    await transport.close();
  }
}
