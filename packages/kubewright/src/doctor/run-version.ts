import { type CommandRun, type CommandStage, readOr, textTable } from '@kubewright/operators';
import { KubewrightError } from '../kubewright-error.ts';
import { version } from '../run/version.ts';
import { type ServerVersion, serverVersion } from './check-versions.ts';
import { type Leader, readLeaders } from './read-installation.ts';

/** `kubewright version`: of this program, of the server, and of the managers that lead operators there. */
export async function runVersion(
  { options: { client: clientOnly }, terminal }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const client = { version: version(), node: process.versions.node };
  if (clientOnly === 'true') {
    terminal.print({ json: { client }, text: () => describe(client) });
    return;
  }
  const read = await readServer(connect).catch((error: unknown) => {
    terminal.print({ json: { client }, text: () => describe(client) });
    throw error;
  });
  const { server, managers } = read;
  terminal.print({
    json: { client, server, managers: managers.map((one) => ({ ...one })) },
    text: () => describe(client, server, managers),
  });
}

async function readServer(
  connect: () => Promise<CommandStage>,
): Promise<{ readonly server: ServerVersion; readonly managers: readonly Manager[] }> {
  const { client, getText } = await connect();
  const response = await getText('/version');
  const server = serverVersion(response);
  if (server === undefined)
    throw new KubewrightError('Refused', `the server does not say its version (${response.status})`);
  const leaders = await readOr(readLeaders(client));
  return { server, managers: 'value' in leaders ? leaders.value.map(managerOf) : [] };
}

type Manager = Readonly<Record<'version' | 'lease' | 'holder', string>> & {
  readonly operators: readonly string[];
};

function managerOf({ version: of = '', namespace, holder, operators }: Leader): Manager {
  return { version: of, lease: `${namespace}/kubewright`, holder, operators };
}

function describe(
  client: Readonly<Record<'version' | 'node', string>>,
  server?: ServerVersion,
  managers: readonly Manager[] = [],
): string {
  return textTable([
    ['PART', 'VERSION', 'WHAT'],
    ['client', client.version, `Node.js ${client.node}`],
    ...(server === undefined ? [] : [['server', server.gitVersion, 'Kubernetes']]),
    ...managers.map(({ version: of, lease, holder, operators }) => [
      'manager',
      of === '' ? 'unknown' : of,
      `${operators.join(', ')}; Lease ${lease}, ${holder === '' ? 'which nobody holds' : `held by ${holder}`}`,
    ]),
  ]);
}
