import { systemClock } from '@kubewright/client';
import { aborted, errorText } from '@kubewright/kube';
import type { DriftBackendOptions } from '../../command-options.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import { serveReports } from '../../run/serve-reports.ts';
import type { Terminal } from '../../terminal.ts';
import { encodeYaml } from '../encode-yaml.ts';

/** `kubewright drift backend`: prints DriftReports, each a YAML document, and serves those that are open. */
export async function driftBackend(
  { addr = { port: 0 } }: DriftBackendOptions,
  { out, err, signal }: Terminal,
): Promise<void> {
  const print = (report: object): void => out(`---\n${encodeYaml(report)}`);
  const server = await serveReports(addr, print, () => new Date(systemClock.now())).catch(
    (error: unknown) => {
      throw new KubewrightError('Usage', `cannot listen: ${errorText(error)}`, { cause: error });
    },
  );
  err(`serves reports on port ${server.port}\n`);
  out('ready\n');
  await aborted(signal);
  await server.close();
}
