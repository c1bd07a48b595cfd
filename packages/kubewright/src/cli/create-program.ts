import { type Operator, OPERATORS } from '@kubewright/operators/list';
import { Argument, Command, Option } from 'commander';
import type {
  ApiServerOptions,
  ClusterOptions,
  DemoOptions,
  EnvtestOptions,
  InstallOptions,
  ManagerOptions,
  SchemaImportOptions,
  UpOptions,
} from '../command-options.ts';
import { addHelp } from './add-help.ts';
import { examplesHelp, verbSummary, verbTerm } from './examples-help.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { addSettings, givenSettings, withSettings } from './add-settings.ts';
import { addInstallationVerbs, INSTALLATION_VERBS } from './add-installation-verbs.ts';
import { addDriftProcesses } from './add-drift-processes.ts';
import { addProjectCommands } from './add-project-commands.ts';
import { addOperatorVerbs, chooseCluster } from './add-operator-verbs.ts';
import {
  imageScript,
  nameList,
  nodeCount,
  portNumber,
  secondCount,
  serverUrl,
  SHUTDOWN_DELAY,
} from './option-values.ts';
import { dryRunOption, outputOption } from './output/output-option.ts';
import { version } from '../run/version.ts';
import type { Terminal } from '../terminal.ts';
import { helpWidth } from './wrap-text.ts';

const HOME = 'kubewright';
const WHERE_INSTALLED = 'the namespace of "kubewright install", where the certificates of webhooks are';
const KINDS = "of users' objects that operators may work on: configmaps, deployments.apps, *.apps, or *";
const HEALTH = 'serve /healthz, /readyz and /metrics on this port; 0 does not';
const IMAGE = 'containers of this image run this file, in a thread (may be repeated)';
const OUT = 'where to write the admin kubeconfig (default: ".kubewright/kubeconfig")';
/** Of what stands beside a flag. */
const LEAST_WIDTH = 20;
const ALL_OPERATORS = OPERATORS.map(({ name }) => name);

/**
 * The command line. The code of a command is loaded when it runs, because a start must be fast; and so of a line whose first word
 * is known, only the commands of that word are made.
 */
export function createProgram(terminal: Terminal, first = ''): Command {
  const width = helpWidth(terminal);
  const program = new Command('kubewright')
    .description('Makes change on Kubernetes safe.')
    .version(version())
    .addHelpText('after', () => `${examplesHelp(width)}\n${exitCodesHelp(width)}`)
    .configureHelp({
      subcommandTerm: verbTerm,
      subcommandDescription: verbSummary,
      minWidthToWrap: LEAST_WIDTH,
    })
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      writeErr: (text) => terminal.err(text.replace(/^error: /, 'kubewright: ')),
      outputError: (text, write) => write(`${text.trim()} (see --help)\n`),
    })
    .showHelpAfterError(false);
  const isKnown = COMMANDS.some(([, names]) => names.includes(first));
  for (const [heading, names, add] of COMMANDS) {
    if (isKnown && !names.includes(first)) continue;
    program.commandsGroup(heading);
    add(program, terminal);
  }
  return program;
}

type Add = (program: Command, terminal: Terminal) => void;

const HERE = 'A cluster in this terminal:';
const ON_CLUSTERS = 'The operators on a cluster of yours:';

/** By their heading and their first words. Completion and help, which need all of them, have none. */
const COMMANDS: readonly (readonly [heading: string, names: readonly string[], add: Add])[] = [
  [HERE, ['up'], addUp],
  [HERE, ['demo'], addDemo],
  [HERE, ['cluster'], addCluster],
  [HERE, ['apiserver'], addApiServer],
  [HERE, ['envtest'], addEnvtest],
  [ON_CLUSTERS, ['manager'], addManager],
  [ON_CLUSTERS, ['install'], addInstall],
  [ON_CLUSTERS, INSTALLATION_VERBS, addInstallationVerbs],
  ...OPERATORS.map((operator): (typeof COMMANDS)[number] => [
    `${operator.name}:`,
    firstWords(operator),
    (program, terminal) => addOperatorVerbs(program, operator, terminal),
  ]),
  ['drift:', ['drift'], addDriftProcesses],
  ['An operator of your own:', ['new', 'generate'], addProjectCommands],
  ['More:', ['schema'], addSchema],
  ['More:', [], addCompletion],
  ['More:', [], addHelp],
];

function firstWords({ commands = [] }: Operator): readonly string[] {
  return commands.map(({ name }) => name.split(' ', 1)[0] ?? '');
}

function operatorNames(): Option {
  return new Option('--operators <names>', 'which operators to run, comma-separated')
    .argParser(nameList)
    .default(ALL_OPERATORS, 'all');
}

function addUp(program: Command, terminal: Terminal): void {
  addSettings(program.command('up'), terminal)
    .description('serve a cluster from this process, run the operators on it and play a demo')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--nodes <n>', 'how many simulated nodes', nodeCount, 2)
    .option('--image <name=file.js>', IMAGE, imageScript, [])
    .option('--kubeconfig-out <file>', OUT)
    .addOption(operatorNames())
    .option('--health-port <n>', HEALTH, portNumber, 0)
    .option('--no-demo', 'do not play the demo')
    .action(async (options: UpOptions, command: Command) =>
      (await import('./commands/up.ts')).up(options, withSettings(terminal, command)),
    );
}

function addDemo(program: Command, terminal: Terminal): void {
  const playable = OPERATORS.filter((operator) => operator.demo !== undefined).map(({ name }) => name);
  program
    .command('demo')
    .description("play an operator's use case on a cluster of its own, which goes with it")
    .addArgument(new Argument('<name>', 'the operator').choices(playable))
    .option('--kubeconfig <file>', 'play on this cluster, where the operator runs')
    .option('--context <name>', 'a context of the kubeconfig')
    .action(async (name: string, options: DemoOptions) =>
      (await import('./commands/demo.ts')).demo(name, options, terminal),
    );
}

function addApiServer(program: Command, terminal: Terminal): void {
  program
    .command('apiserver')
    .description('serve only the Kubernetes API')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--kubeconfig-out <file>', OUT)
    .option('--audit-log <file>', 'append an audit event for each request to this file')
    .action(async (options: ApiServerOptions) =>
      (await import('./commands/apiserver.ts')).apiserver(options, terminal),
    );
}

function addEnvtest(program: Command, terminal: Terminal): void {
  program
    .command('envtest')
    .description("print a folder with kube-apiserver and etcd for others' suites: KUBEBUILDER_ASSETS")
    .option('--directory <folder>', 'where to write them (default: in the cache of the user)')
    .action(async (options: EnvtestOptions) =>
      (await import('./commands/envtest.ts')).envtest(options, terminal),
    );
}

function addCluster(program: Command, terminal: Terminal): void {
  program
    .command('cluster')
    .description('serve a whole cluster: the API, its controllers, a scheduler and simulated nodes')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--nodes <n>', 'how many simulated nodes', nodeCount, 2)
    .option('--image <name=file.js>', IMAGE, imageScript, [])
    .option('--kubeconfig-out <file>', OUT)
    .action(async (options: ClusterOptions) =>
      (await import('./commands/cluster.ts')).cluster(options, terminal),
    );
}

function addManager(program: Command, terminal: Terminal): void {
  addSettings(chooseCluster(program.command('manager')), terminal)
    .description('run the operators on any cluster, with their CustomResourceDefinitions')
    .addOption(operatorNames())
    .option('--leader-elect', 'elect a leader among several managers by a Lease', true)
    .option('--no-leader-elect', 'start without a Lease; only for a single manager')
    .option('--leader-elect-namespace <name>', 'where the Lease "kubewright" is', 'kube-system')
    .option('-n, --namespace <name>', WHERE_INSTALLED, HOME)
    .option('--webhook-host <address>', 'serve them at this address only; default all of the machine')
    .option('--webhook-port <n>', 'serve the webhooks of operators on this port', portNumber, 9443)
    .option(
      '--webhook-url <url>',
      'outside of the cluster: https://HOST:PORT, where the API server reaches that port',
      serverUrl,
    )
    .option(
      '--webhook-cert-dir <dir>',
      'serve them with tls.crt and tls.key of this folder, which somebody else renews, with their caBundle',
    )
    .option('--no-crds', 'leave CustomResourceDefinitions to what has installed them')
    .option('--health-port <n>', HEALTH, portNumber, 0)
    .option(...SHUTDOWN_DELAY)
    .action(async (options: ManagerOptions, command: Command) =>
      (await import('./commands/manager.ts')).manager(options, withSettings(terminal, command)),
    );
}

function addInstall(program: Command, terminal: Terminal): void {
  addSettings(chooseCluster(program.command('install')), terminal)
    .description('print the manifests of the operators and their manager; with --apply, install them')
    .option('--apply', 'apply them on the server, and wait until they work; again: only what differs')
    .addOption(operatorNames())
    .option('-n, --namespace <name>', 'the namespace of the manager', HOME)
    .option('--image <name>', "the manager's container image", 'kubewright')
    .option('--kinds <list>', KINDS, nameList)
    .option('--prometheus', 'also a PodMonitor and a PrometheusRule, for the Prometheus Operator')
    .option('--dashboards', "also a dashboard for each operator, for the sidecar of Grafana's chart")
    .option('--node-agents', 'also the agents of nodes, with which migration moves unmodified applications')
    .option('--force-conflicts', 'with --apply: take fields that others own')
    .option('--timeout <seconds>', 'with --apply: how long to wait for the manager', secondCount, 180)
    .addOption(dryRunOption())
    .addOption(outputOption('objects'))
    .action(async (options: InstallOptions, command: Command) =>
      (await import('./commands/install.ts')).install(
        { ...options, settings: givenSettings(command) },
        terminal,
      ),
    );
}

function addSchema(program: Command, terminal: Terminal): void {
  const schema = program.command('schema').description('work with the catalogue of built-in types');
  chooseCluster(schema.command('import'))
    .description("make the catalogue from a live cluster's /openapi/v3")
    .requiredOption('-o, --output <file>', 'the catalogue to write')
    .action(async (options: SchemaImportOptions) =>
      (await import('./commands/schema-import.ts')).schemaImport(options, terminal),
    );
}

function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print the completion script of a shell: source <(kubewright completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) =>
      terminal.out((await import('./completion/completion-script.ts')).completionScript(program, shell)),
    );
}
