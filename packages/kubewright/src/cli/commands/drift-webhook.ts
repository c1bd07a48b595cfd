import { addStandaloneWebhook } from '@kubewright/operators';
import { createCertificateFolder, createManager, createPinoLogger, tuneHeap } from '@kubewright/runtime';
import type { DriftWebhookOptions } from '../../command-options.ts';
import { runProcess } from '../run-process.ts';
import { readYamlFile } from '../read-yaml-file.ts';
import { GRACEFUL_MS } from '../../run/close-in-time.ts';
import type { Terminal } from '../../terminal.ts';
import { connect } from '../connect.ts';

/** `kubewright drift webhook`: only the webhook of drift, where somebody else installs and configures it. */
export async function driftWebhook(options: DriftWebhookOptions, terminal: Terminal): Promise<void> {
  const { host, port, certDir: folder, config: file, shutdownDelaySeconds } = options;
  const config = file === undefined ? null : await readYamlFile(file, 'the config file');
  const { transport, url } = await connect(options, terminal);
  tuneHeap();
  const log = createPinoLogger({ destination: { write: terminal.err } });
  const certificates = createCertificateFolder({ folder, log });
  let onListening: (port: number) => void = () => undefined;
  const isServing = new Promise<number>((resolve) => (onListening = resolve));
  const listen = { port, ...(host === '' ? {} : { host }) };
  const manager = createManager({
    name: 'kausality-webhook',
    transport,
    gracefulMs: GRACEFUL_MS,
    log,
    shutdownDelayMs: shutdownDelaySeconds * 1000,
    webhooks: { ...listen, certificates, onListening: (at) => onListening(at) },
  });
  manager.add(certificates);
  addStandaloneWebhook(manager, config);
  await runProcess(manager, { ...options, transport, url, isServing }, terminal);
}
