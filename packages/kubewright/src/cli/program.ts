import { Command, InvalidArgumentError } from 'commander';
import type { Terminal } from './terminal.ts';

const EXAMPLES = `
Examples:
  kubewright up                                    a cluster API, the operators and a demo, in this terminal
  export KUBECONFIG=.kubewright/kubeconfig         then use kubectl as always:
  kubectl get deployments -A

  kubewright owners deployment/web                 who owns which field
  kubewright owners deployment/web 'spec.template.spec.initContainers[name="setup"]'
                                                   why this one cannot be removed, and by whom
  kubewright manager --kubeconfig ~/.kube/config   the operators, on a cluster of yours
`;

/** The command line. Each command's code is loaded when it runs: \`--help\` has to be quick. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('kubewright')
    .description('Makes change on Kubernetes safe.')
    .addHelpText('after', EXAMPLES)
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
  addOwners(program, terminal);
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
    .option('--operators <names>', 'which operators to run, comma-separated', list, ['ownership'])
    .option(
      '--health-port <n>',
      'serve /healthz, /readyz and /metrics on this port; 0 does not',
      portNumber,
      0,
    )
    .option('--no-demo', 'do not play the demo')
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
    .option(
      '--kubeconfig <file>',
      'the cluster; default $KUBECONFIG, .kubewright/kubeconfig, the pod, ~/.kube/config',
    )
    .option('--operators <names>', 'which operators to run, comma-separated', list, ['ownership'])
    .option('--leader-elect', 'of several managers only the holder of a Lease works', true)
    .option('--no-leader-elect', 'work at once: there is no other manager')
    .option('--leader-elect-namespace <name>', 'where the Lease "kubewright" is', 'kube-system')
    .option(
      '--health-port <n>',
      'serve /healthz, /readyz and /metrics on this port; 0 does not',
      portNumber,
      0,
    )
    .action(async (options: ManagerOptions) =>
      (await import('./commands/manager.ts')).manager(options, terminal),
    );
}

function addOwners(program: Command, terminal: Terminal): void {
  program
    .command('owners')
    .description('show who owns which field of a live object, and why a field cannot be removed')
    .argument('<kind/name>', 'deployment/web, deploy/web, configmaps/settings, widgets.example.com/one')
    .argument(
      '[path]',
      'a field: spec.replicas, data[\'my.key\'], spec.template.spec.containers[name="web"].image',
    )
    .option('-n, --namespace <name>', "the object's namespace; default that of the kubeconfig's context")
    .option(
      '--kubeconfig <file>',
      'the cluster; default $KUBECONFIG, .kubewright/kubeconfig, the pod, ~/.kube/config',
    )
    .option('--manager <name>', 'the field manager that would remove the path', 'eno')
    .action(async (target: string, path: string | undefined, options: OwnersOptions) =>
      (await import('./commands/owners.ts')).owners(target, path, options, terminal),
    );
}

function addSchema(program: Command, terminal: Terminal): void {
  program
    .command('schema')
    .description('work with the catalogue of built-in types')
    .command('import')
    .description("make the catalogue from a live cluster's /openapi/v3")
    .option(
      '--kubeconfig <file>',
      'the cluster; default $KUBECONFIG, .kubewright/kubeconfig, the pod, ~/.kube/config',
    )
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
  readonly healthPort: number;
};
export type OwnersOptions = {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly manager: string;
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
