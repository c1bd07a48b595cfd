import { type OperatorCommand, OPERATORS } from '@kubewright/operators/list';
import { Command, InvalidArgumentError } from 'commander';
import type { Terminal } from './terminal.ts';

const CLUSTER = 'the cluster; default $KUBECONFIG, .kubewright/kubeconfig, the pod, ~/.kube/config';
const HOME = 'kubewright';
const WHERE_INSTALLED = 'the namespace of "kubewright install", where the certificates of webhooks are';
const WHICH_OPERATORS = 'which operators to run, comma-separated';
const ALL_OPERATORS = OPERATORS.map(({ name }) => name);
const COMMANDS = OPERATORS.flatMap(({ commands = [] }) => commands);

function examples(): string {
  const operators = OPERATORS.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`);
  const lines = COMMANDS.flatMap((command) => command.examples ?? []).map(([line, does]) =>
    example(line, does),
  );
  return `
Operators:
${operators.join('\n')}

Examples:
  kubewright up                                    a cluster API, the operators and a demo, in this terminal
  export KUBECONFIG=.kubewright/kubeconfig         then use kubectl as always:
  kubectl get deployments -A

${lines.join('\n')}
  kubewright manager --kubeconfig ~/.kube/config   the operators, on a cluster of yours
  kubewright install | kubectl apply -f -          the same, in that cluster
`;
}

/** What operators read from the environment of the process that runs them. */
function settings(): string {
  const all = OPERATORS.flatMap(({ settings: own = {} }) => Object.entries(own));
  const width = Math.max(0, ...all.map(([name]) => name.length));
  return [
    '',
    'Environment variables:',
    ...all.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
  ].join('\n');
}

const EXPLAINED_AT = 51;

function example(line: string, does: string): string {
  const text = `  kubewright ${line}`;
  const isLong = text.length >= EXPLAINED_AT;
  return isLong ? `${text}\n${' '.repeat(EXPLAINED_AT)}${does}` : `${text.padEnd(EXPLAINED_AT)}${does}`;
}

/** The command line. Each command's code is loaded when it runs: \`--help\` has to be quick. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('kubewright')
    .description('Makes change on Kubernetes safe.')
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: (text) => terminal.err(text.replace(/^error: /, 'kubewright: ')),
      outputError: (text, write) => write(`${text.trim()} (see --help)\n`),
    })
    .showHelpAfterError(false);
  addUp(program, terminal);
  addApiServer(program, terminal);
  addCluster(program, terminal);
  addManager(program, terminal);
  addInstall(program, terminal);
  for (const command of COMMANDS) addOperatorCommand(program, command, terminal);
  addSchema(program, terminal);
  return program;
}

function addUp(program: Command, terminal: Terminal): void {
  program
    .command('up')
    .description('serve a cluster from this process, run the operators on it and play a demo')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--nodes <n>', 'how many simulated nodes', nodeCount, 2)
    .option('--kubeconfig-out <file>', 'where to write the admin kubeconfig', '.kubewright/kubeconfig')
    .option('--operators <names>', WHICH_OPERATORS, list, ALL_OPERATORS)
    .option(
      '--health-port <n>',
      'serve /healthz, /readyz and /metrics on this port; 0 does not',
      portNumber,
      0,
    )
    .option('--no-demo', 'do not play the demo')
    .addHelpText('after', settings)
    .action(async (options: UpOptions) => (await import('./commands/up.ts')).up(options, terminal));
}

function addApiServer(program: Command, terminal: Terminal): void {
  program
    .command('apiserver')
    .description('serve only the Kubernetes API')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--kubeconfig-out <file>', 'where to write the admin kubeconfig', '.kubewright/kubeconfig')
    .option('--audit-log <file>', 'append an audit event for each request to this file')
    .action(async (options: ApiServerOptions) =>
      (await import('./commands/apiserver.ts')).apiserver(options, terminal),
    );
}

function addCluster(program: Command, terminal: Terminal): void {
  program
    .command('cluster')
    .description('serve a whole cluster: the API, its controllers, a scheduler and simulated nodes')
    .option('--port <n>', 'port of the API; 0 takes a free one', portNumber, 6443)
    .option('--nodes <n>', 'how many simulated nodes', nodeCount, 2)
    .option('--kubeconfig-out <file>', 'where to write the admin kubeconfig', '.kubewright/kubeconfig')
    .action(async (options: ClusterOptions) =>
      (await import('./commands/cluster.ts')).cluster(options, terminal),
    );
}

function addManager(program: Command, terminal: Terminal): void {
  program
    .command('manager')
    .description('run the operators on any cluster, with their CustomResourceDefinitions')
    .option('--kubeconfig <file>', CLUSTER)
    .option('--operators <names>', WHICH_OPERATORS, list, ALL_OPERATORS)
    .option('--leader-elect', 'of several managers only the holder of a Lease works', true)
    .option('--no-leader-elect', 'work at once: there is no other manager')
    .option('--leader-elect-namespace <name>', 'where the Lease "kubewright" is', 'kube-system')
    .option('-n, --namespace <name>', WHERE_INSTALLED, HOME)
    .option('--webhook-port <n>', 'serve the webhooks of operators on this port', portNumber, 9443)
    .option(
      '--health-port <n>',
      'serve /healthz, /readyz and /metrics on this port; 0 does not',
      portNumber,
      0,
    )
    .addHelpText('after', settings)
    .action(async (options: ManagerOptions) =>
      (await import('./commands/manager.ts')).manager(options, terminal),
    );
}

function addInstall(program: Command, terminal: Terminal): void {
  program
    .command('install')
    .description('print the manifests of the operators and their manager, for kubectl apply -f -')
    .option('--operators <names>', WHICH_OPERATORS, list, ALL_OPERATORS)
    .option('-n, --namespace <name>', 'the namespace of the manager', HOME)
    .option('--image <name>', "the manager's container image", 'kubewright')
    .action(async (options: InstallOptions) =>
      (await import('./commands/install.ts')).install(options, terminal),
    );
}

function addOperatorCommand(program: Command, declared: OperatorCommand, terminal: Terminal): void {
  const { name, summary, arguments: parameters = {}, options = {} } = declared;
  const command = program.command(name).description(summary);
  for (const [syntax, help] of Object.entries(parameters)) command.argument(syntax, help);
  command
    .option('-n, --namespace <name>', "the namespace; default that of the kubeconfig's context")
    .option('--kubeconfig <file>', CLUSTER);
  for (const [flags, { help, default: value }] of Object.entries(options)) command.option(flags, help, value);
  command.action(async () => {
    const call = { args: command.args, options: command.opts<Record<string, string | undefined>>() };
    await (await import('./commands/operator-command.ts')).operatorCommand(declared, call, terminal);
  });
}

function addSchema(program: Command, terminal: Terminal): void {
  program
    .command('schema')
    .description('work with the catalogue of built-in types')
    .command('import')
    .description("make the catalogue from a live cluster's /openapi/v3")
    .option('--kubeconfig <file>', CLUSTER)
    .requiredOption('-o, --output <file>', 'the catalogue to write')
    .action(async (options: SchemaImportOptions) =>
      (await import('./commands/schema-import.ts')).schemaImport(options, terminal),
    );
}

export type ServeOptions = { readonly port: number; readonly kubeconfigOut: string };
export type ApiServerOptions = ServeOptions & { readonly auditLog?: string };
export type ClusterOptions = ServeOptions & { readonly nodes: number };
export type UpOptions = ClusterOptions & {
  readonly operators: readonly string[];
  readonly demo: boolean;
  readonly healthPort: number;
};
export type ManagerOptions = {
  readonly kubeconfig?: string;
  readonly operators: readonly string[];
  readonly leaderElect: boolean;
  readonly leaderElectNamespace: string;
  readonly namespace: string;
  readonly webhookPort: number;
  readonly healthPort: number;
};
export type InstallOptions = {
  readonly operators: readonly string[];
  readonly namespace: string;
  readonly image: string;
};
export type SchemaImportOptions = { readonly kubeconfig?: string; readonly output: string };

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}

const MOST_NODES = 5000;

function nodeCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > MOST_NODES)
    throw new InvalidArgumentError(`there are 0 to ${MOST_NODES} nodes`);
  return count;
}

function list(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
