import { type Command, Option } from 'commander';
import type { DriftControllerOptions, DriftWebhookOptions } from '../command-options.ts';
import type { Terminal } from '../terminal.ts';
import { chooseCluster } from './add-operator-verbs.ts';
import { bindAddress, portNumber } from './option-values.ts';

const PROBES = 'serve /healthz and /readyz there; 0 does not';
const METRICS = 'serve /metrics there; 0 does not';
const NO_SERVICE = 'accepted for compatibility: the address stays as it is installed';

/** Of the original's logger. They are accepted, and have no effect. */
const LOG_FLAGS = ['zap-devel', 'zap-encoder', 'zap-log-level', 'zap-stacktrace-level', 'zap-time-encoding'];

const isTrue = (text: string): boolean => text !== 'false';

/** The two processes of drift by themselves, with the flags of the original's: for its manifests and Helm charts. */
export function addDriftProcesses(program: Command, terminal: Terminal): void {
  const drift = program.commands.find((command) => command.name() === 'drift');
  if (drift === undefined) return;
  const process = (name: string): Command =>
    LOG_FLAGS.reduce(
      (command, flag) => command.addOption(new Option(`--${flag} [value]`).hideHelp()),
      chooseCluster(drift.command(name)),
    );
  process('webhook')
    .description('serve only the webhook, POST /mutate, with the certificate of a folder')
    .option('--host <address>', 'the address to listen on; default all', '')
    .option('--port <n>', 'the port of the webhook', portNumber, 9443)
    .option(
      '--cert-dir <folder>',
      'has tls.crt and tls.key; read again when they change',
      '/etc/webhook/certs',
    )
    .option(
      '--config <file>',
      'YAML with the backends of DriftReports: backends: [{url, timeout, retryCount}]',
    )
    .option('--health-probe-bind-address <address>', PROBES, bindAddress, { port: 8081 })
    .option('--metrics-bind-address <address>', METRICS, bindAddress, { port: 8082 })
    .action(async (options: DriftWebhookOptions) =>
      (await import('./commands/drift-webhook.ts')).driftWebhook(options, terminal),
    );
  process('controller')
    .description('keep rules of an installed webhook, ClusterRoles and status of policies')
    .option('--webhook-name <name>', 'the MutatingWebhookConfiguration', 'kausality')
    .option('--webhook-namespace <name>', "the namespace of the webhook's Service", 'kausality-system')
    .option('--webhook-service-name <name>', NO_SERVICE, 'kausality-webhook')
    .option('--leader-elect [yes]', 'elect a leader by a Lease in that namespace', isTrue, false)
    .option('--health-probe-bind-address <address>', PROBES, bindAddress, { port: 8081 })
    .option('--metrics-bind-address <address>', METRICS, bindAddress, { port: 8080 })
    .action(async (options: DriftControllerOptions) =>
      (await import('./commands/drift-controller.ts')).driftController(options, terminal),
    );
}
