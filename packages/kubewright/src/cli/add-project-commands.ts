import type { Command } from 'commander';
import type { GenerateManifestsOptions, NewOperatorOptions } from '../command-options.ts';
import type { Terminal } from '../terminal.ts';

const all = (path: string, earlier: readonly string[] = []): readonly string[] => [...earlier, path];

/** For those who write an operator of their own. */
export function addProjectCommands(program: Command, terminal: Terminal): void {
  program
    .command('new')
    .description('make the project of an operator of your own')
    .command('operator')
    .description('make a folder with a kind, a controller, a webhook, tests, a simulation and manifests')
    .argument('<name>', 'of the operator and the folder, as "web-cache"')
    .option('--group <name>', 'the API group of its kind', 'example.com')
    .option('--kind <name>', 'its kind (default: the name, as "WebCache")')
    .option('--packages <folder>', 'take the packages from a release folder, not from the registry')
    .action(async (name: string, options: NewOperatorOptions) =>
      (await import('./commands/new-operator.ts')).newOperator(name, options, terminal),
    );
  program
    .command('generate')
    .description("make files of an operator's project")
    .command('manifests')
    .description('make its definitions, roles, webhook configurations and Deployment')
    .option('--operator <file>', 'a module with the export "operator"', 'src/operator.ts')
    .option('--requests <path>', 'what its tests have recorded (may be repeated)', all, [])
    .option('--out <folder>', 'where the manifests are written', 'manifests')
    .option('-n, --namespace <name>', 'the namespace of the manager (default: its name and "-system")')
    .option('--image <name>', "the manager's container image (default: its name)")
    .action(async (options: GenerateManifestsOptions) =>
      (await import('./commands/generate-manifests.ts')).generateManifests(options, terminal),
    );
}
