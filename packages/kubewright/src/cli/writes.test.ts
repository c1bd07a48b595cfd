import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, createTransport, findContext } from '@kubewright/client';
import {
  corev1,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  parseJson,
  type Transport,
} from '@kubewright/kube';
import { OPERATORS, STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexOf } from '../../../operators/src/capture/export/export-index.ts';
import { writeExport } from '../../../operators/src/capture/export/write-export.ts';
import { createProgram } from './create-program.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { runLine } from './testing/run-line.ts';
import { type RunningCommand, startCommand } from './testing/start-command.ts';

/** They write objects of the cluster: a line that would; @ is the folder of the files. Those that print a plan first need `--yes`. */
const WRITES: Readonly<Record<string, string>> = {
  'capture namespace': 'capture namespace shop',
  'capture pvc': 'capture pvc data',
  'capture application': 'capture application shop',
  'capture import': 'capture import @/export',
  'capture restore': 'capture restore @/export --to elsewhere',
  'class deploy': 'class deploy -f @/class.json',
  'drift approve': 'drift approve configmap/web --parent configmap/site --mode always',
  'drift reject': 'drift reject configmap/web --parent configmap/site',
  'drift freeze': 'drift freeze configmap/site',
  'drift unfreeze': 'drift unfreeze configmap site',
  'drift snooze': 'drift snooze configmap site',
  'migrate pod': 'migrate pod a --to n --queue q --exchange e --broker amqp://b',
  'migrate abort': 'migrate abort sm/one',
  drain: 'drain node-1',
  'owners migrate': 'owners migrate configmap/web --to test',
  'owners release': 'owners release configmap/web --fields data --to other',
  'owners remove': 'owners remove configmap/left --fields data.old',
  apply: 'apply site -f @/maps.json',
  uninstall: 'uninstall',
  install: 'install --apply',
};
const NEEDS_YES = [
  'capture restore',
  'owners migrate',
  'owners release',
  'owners remove',
  'apply',
  'uninstall',
];
/** They write, too, but a dry run of these would be a command of its own, or what they need is made elsewhere. */
const ELSEWHERE = ['capture keep', 'drift plan'];
/** They serve, print text, or write files: nothing of the cluster is written, or nothing else than what the server is there for. */
const OTHERS = [
  'up',
  'demo',
  'cluster',
  'apiserver',
  'manager',
  'schema import',
  'completion',
  'help',
  'drift webhook',
  'drift controller',
  'drift backend',
  'drift manifests',
  'migrate agent',
];
/** They write nothing that stays. */
const READS = [
  'capture list',
  'capture show',
  'capture export',
  'capture remove',
  'capture verify',
  'capture diff',
  'class list',
  'class show',
  'class explain',
  'class plot',
  'class doctor',
  'drift list',
  'drift show',
  'drift explain',
  'drift simulate',
  'drift doctor',
  'migrate list',
  'migrate plan',
  'migrate state',
  'owners',
  'owners scan',
  'owners plan',
  'doctor',
  'version',
];

const folder = mkdtempSync(join(tmpdir(), 'kubewright-writes-'));
const env = { HOME: folder };
let server: RunningCommand;
let transport: Transport;
let client: Client;

const metadata = (name: string) => ({ name, namespace: 'shop' });
const map = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata(name),
  data: { old: '1' },
});
const FILES = {
  'maps.json': map('made'),
  'class.json': {
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: metadata('cart'),
    spec: { functions: [] },
  },
};

beforeAll(async () => {
  server = await startCommand(folder, ['apiserver', '--port', '0', '--kubeconfig-out', 'kc'], env);
  const { options } = await findContext({ kubeconfig: join(folder, 'kc') });
  transport = createTransport(options);
  client = createClient(transport);
  const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
  const definitions = loaded.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(join(folder, name), JSON.stringify(content));
  await makeObjects();
  const exported = async function* (): AsyncGenerator<JsonObject, void> {
    yield map('exported');
  };
  await writeExport(join(folder, 'export'), await indexOf('nss-mcp-1', exported()), exported());
});
afterAll(async () => {
  await transport.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function makeObjects(): Promise<void> {
  const v1 = { apiVersion: 'v1' };
  await client.create<KubeObject>(corev1.namespaces, {
    ...v1,
    kind: 'Namespace',
    metadata: { name: 'shop' },
  });
  await client.create<KubeObject>(corev1.nodes, { ...v1, kind: 'Node', metadata: { name: 'node-1' } });
  for (const name of ['web', 'site']) {
    await client.create<KubeObject>(corev1.configmaps, map(name), { fieldManager: 'before' });
    await client.apply<KubeObject>(corev1.configmaps, map(name), { fieldManager: 'test' });
  }
  await client.create<KubeObject>(corev1.configmaps, map('left'), { fieldManager: 'before' });
  const left = { ...map('left'), data: { new: '1' } };
  await client.apply<KubeObject>(corev1.configmaps, left, { fieldManager: 'test' });
  await client.create<KubeObject>(corev1.persistentvolumeclaims, {
    ...v1,
    kind: 'PersistentVolumeClaim',
    metadata: metadata('data'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await client.create<KubeObject>(STATEFUL_MIGRATIONS, {
    apiVersion: 'migration.ms2m.io/v1alpha1',
    kind: 'StatefulMigration',
    metadata: metadata('one'),
    spec: { sourcePod: 'consumer-0', targetNode: 'node-2' },
  });
}

/** Each write makes another: no controller runs. */
async function revision(): Promise<string> {
  return (await client.list(corev1.configmaps)).resourceVersion;
}

type Command = ReturnType<typeof createProgram>;
const program = createProgram({
  out: () => undefined,
  err: () => undefined,
  colour: false,
  env: {},
  cwd: '/',
  signal: new AbortController().signal,
});

/** All commands by their words: also those that have verbs below them and do something themselves. */
function commandsOf(command: Command, path: readonly string[] = []): ReadonlyMap<string, Command> {
  const below = command.commands.flatMap((one) => [...commandsOf(one, [...path, one.name()])]);
  const isVerb = path.length > 0 && (command.commands.length === 0 || command.registeredArguments.length > 0);
  return new Map([...(isVerb ? [[path.join(' '), command] as const] : []), ...below]);
}
const commands = commandsOf(program);
const flagsOf = (name: string) => (commands.get(name)?.options ?? []).flatMap(({ long }) => long ?? []);
const run = (line: string) =>
  runLine(`${line.replace('@', folder)} -n shop --kubeconfig ${join(folder, 'kc')}`, folder, env);

describe('every command', () => {
  test('that works on a cluster is known to read, to write, or to do neither', () => {
    const known = [...Object.keys(WRITES), ...ELSEWHERE, ...OTHERS, ...READS];
    const onClusters = [...commands.keys()].filter((name) => flagsOf(name).includes('--kubeconfig'));
    expect(onClusters.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !commands.has(name))).toEqual([]);
  });

  test.each([...Object.keys(WRITES), ...ELSEWHERE])('%s writes: it has --dry-run and -o', (name) => {
    expect(flagsOf(name)).toEqual(expect.arrayContaining(['--dry-run', '--output']));
  });

  test.each([...commands.keys()].filter((name) => flagsOf(name).includes('--yes')))(
    '%s needs --yes, and without it ends with 1',
    (name) => {
      expect([...NEEDS_YES, 'capture remove']).toContain(name);
    },
  );

  test('has the exit codes that help lists', async () => {
    const { out } = await runLine('--help');
    for (const [code] of EXIT_CODES) expect(out).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
    expect((await runLine('owners scan --exit-code --nonsense')).code).toBe(2);
    expect((await runLine('drift plan')).code).toBe(2);
    expect((await runLine('nonsense')).code).toBe(1);
  });
});

describe('a dry run stores nothing', () => {
  test.each(Object.keys(WRITES).flatMap((name) => [[name, 'client'] as const, [name, 'server'] as const]))(
    'of %s, %s',
    async (name, how) => {
      const before = await revision();
      const { code, out, err } = await run(`${WRITES[name] ?? ''} --dry-run=${how} -o json`);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      expect(parseJson(out)).toBeDefined();
      expect(await revision()).toBe(before);
    },
  );

  test('and says so in each line that people read', async () => {
    const { out } = await run('drift freeze configmap/site --dry-run');
    expect(out).toBe('ConfigMap site is frozen: every change of what it owns is denied (dry run)\n');
    const tried = await run('migrate abort one --dry-run=server');
    expect(tried.out).toBe('one is being aborted (server dry run)\n');
  });

  test('prints the object that would be stored, and its name', async () => {
    for (const how of ['client', 'server']) {
      const { out } = await run(`drift freeze configmap/site --dry-run=${how} -o json`);
      const object = parseJson(out);
      expect(isJsonObject(object) && object['metadata']).toMatchObject({
        name: 'site',
        annotations: { 'kausality.io/freeze': expect.stringContaining('"at"') as string },
      });
    }
    expect((await run('migrate abort one --dry-run=server -o name')).out).toBe(
      'statefulmigration.migration.ms2m.io/one\n',
    );
  });
});

describe('what is written', () => {
  test.each(NEEDS_YES)('%s writes nothing without --yes, and ends with 1', async (name) => {
    const before = await revision();
    const { code, err } = await run(WRITES[name] ?? '');
    expect([code, err]).toEqual([1, expect.stringMatching(/^kubewright: nothing was .*; add --yes /m)]);
    expect(await revision()).toBe(before);
  });

  test('is printed as the server has it, with -o', async () => {
    const { code, out, err } = await run('drift freeze configmap/site -o json');
    expect([code, err]).toEqual([0, 'ConfigMap site is frozen: every change of what it owns is denied\n']);
    const live = await client.get(corev1.configmaps, { namespace: 'shop', name: 'site' });
    const { managedFields: _managedFields, ...kept } = live.metadata;
    expect(JSON.parse(out)).toEqual({ ...live, metadata: kept });
    expect((await run('drift unfreeze configmap/site -o name')).out).toBe('configmap/site\n');
  });

  test('a scan finds nothing: 0; or something: 1, for CI', async () => {
    const scan = 'owners scan --kinds configmaps';
    expect((await run(scan)).code).toBe(0);
    expect(await run(`${scan} --exit-code`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('found, and --exit-code was given') as string,
    });
    expect((await run('owners scan --kinds secrets --exit-code')).code).toBe(0);
    expect((await run('owners scan --kinds nonsense --exit-code')).code).toBe(2);
  });
});
