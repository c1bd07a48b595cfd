import { type Command, Option } from 'commander';
import type {
  DriftBackendOptions,
  DriftControllerOptions,
  DriftManifestsOptions,
  DriftWebhookOptions,
} from '../command-options.ts';
import type { Terminal } from '../terminal.ts';
import { chooseCluster } from './add-operator-verbs.ts';
import { bindAddress, portNumber, SHUTDOWN_DELAY } from './option-values.ts';

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
    .option(...SHUTDOWN_DELAY)
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
  addWithoutCluster(drift, terminal);
}

function addWithoutCluster(drift: Command, terminal: Terminal): void {
  drift
    .command('backend')
    .description('print DriftReports that are posted to /webhook; /api/v1/drifts has those that are open')
    .option('--addr <address>', 'the address to listen on', bindAddress, { port: 8080 })
    .action(async (options: DriftBackendOptions) =>
      (await import('./commands/drift-backend.ts')).driftBackend(options, terminal),
    );
  drift
    .command('manifests')
    .description("print what kausality's Helm chart installs, with this program, for kubectl apply -f -")
    .option('-f, --values <file>', 'YAML: values of the chart; images are not taken from it')
    .option('--name <release>', 'the name of the release', 'kausality')
    .option('-n, --namespace <name>', 'the namespace', 'kausality-system')
    .option('--image <name>', 'the container image', 'kubewright')
    .action(async (options: DriftManifestsOptions) =>
      (await import('./commands/drift-manifests.ts')).driftManifests(options, terminal),
    );
}
