import type { Command } from 'commander';
import type {
  GenerateImageOptions,
  GenerateManifestsOptions,
  NewOperatorOptions,
} from '../command-options.ts';
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
  const generate = program.command('generate').description("make files of an operator's project");
  addGenerateManifests(generate, terminal);
  addGenerateImage(generate, terminal);
}

function addGenerateManifests(generate: Command, terminal: Terminal): void {
  generate
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

function addGenerateImage(generate: Command, terminal: Terminal): void {
  generate
    .command('image')
    .description('make the container image of a program without Docker, on an image that has Node.js')
    .argument('<folder>', 'the files of the program')
    .requiredOption(
      '--base <file>',
      'the image below, an archive of the OCI layout: of "kubewright", of "skopeo copy"',
    )
    .requiredOption('--name <name>', 'of the image, with its tag')
    .requiredOption(
      '--out <file>',
      'the archive to write, for "ctr images import", "podman load", "skopeo copy"',
    )
    .option('--command <file>', 'of the folder, what Node.js runs', 'main.cjs')
    .option('--node <path>', 'where the image below has Node.js', '/usr/local/bin/node')
    .action(async (folder: string, options: GenerateImageOptions) =>
      (await import('./commands/generate-image.ts')).generateImage(folder, options, terminal),
    );
}
