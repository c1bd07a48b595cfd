import { join } from 'node:path';
import { type Client, createClient, createTransport, findContext } from '@kubewright/client';
import { corev1, type KubeObject } from '@kubewright/kube';
import { OPERATORS, STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { runCommand } from './main.ts';
import { runLine } from './testing/run-line.ts';
import { type RunningCommand, startCommand } from './testing/start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubewright-lists-'));
const env = { HOME: folder };
const PLACES = [
  ['shop', 'one'],
  ['data', 'two'],
] as const;
let server: RunningCommand;
let client: Client;

const migration = (namespace: string, name: string) => ({
  apiVersion: 'migration.ms2m.io/v1alpha1',
  kind: 'StatefulMigration',
  metadata: { namespace, name },
  spec: { sourcePod: 'consumer-0', targetNode: 'node-2' },
});

beforeAll(async () => {
  server = await startCommand(folder, ['apiserver', '--port', '0', '--kubeconfig-out', 'kc'], env);
  const { options } = await findContext({ kubeconfig: join(folder, 'kc') });
  client = createClient(createTransport(options));
  const loaded = await Promise.all(OPERATORS.map((operator) => operator.load()));
  const definitions = loaded.flatMap(({ resources }) => resources.map(({ definition }) => definition));
  await installDefinitions(client, definitions, { fieldManager: 'test' });
  for (const [namespace, name] of PLACES) {
    const metadata = { name: namespace };
    await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await client.create<KubeObject>(STATEFUL_MIGRATIONS, migration(namespace, name));
  }
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const run = (line: string) => runLine(`${line} --kubeconfig ${join(folder, 'kc')}`, folder, env);

async function printed(line: string): Promise<string> {
  const { code, out, err } = await run(line);
  expect([code, err]).toEqual([0, '']);
  return out;
}

/** 130 where it did not end by itself at once, on a busy machine. */
const INTERRUPTED = [0, 130];
const LISTS = ['capture list', 'class list', 'drift list', 'migrate list'];

describe('lists, as users of kubectl know them', () => {
  test.each(LISTS)('%s is a List for programs, of a namespace or of all', async (list) => {
    for (const where of ['-n shop', '-A'])
      expect(JSON.parse(await printed(`${list} ${where} -o json`))).toMatchObject({ kind: 'List' });
    expect(await printed(`${list} -n shop -o jsonpath={.kind}`)).toBe('List');
    expect(await printed(`${list} -n nowhere -A -o name`)).toMatch(/^(statefulmigration|$)/);
  });

  test.each(LISTS)('%s of nothing prints nothing for programs, and says so to people', async (list) => {
    const { code, out, err } = await run(`${list} -n nowhere`);
    expect([code, out]).toEqual([0, '']);
    expect(err).toMatch(/^.* in namespace nowhere.*\n$/);
    expect(await printed(`${list} -n nowhere -o name`)).toBe('');
  });

  test('a table has the namespace first where it is of all, and more columns with -o wide', async () => {
    expect(await printed('migrate list -n shop')).toMatch(
      /^NAME +POD +FROM +TO +PHASE +STEP +MESSAGE\none +con/,
    );
    const all = await printed('migrate list -A -o wide');
    expect(all).toMatch(/^NAMESPACE +NAME +POD .*PROGRESS +STRATEGY +CREATED/);
    expect(all).toMatch(/^shop +one/m);
    expect(await printed('migrate list -A --no-headers')).not.toContain('NAMESPACE');
  });

  test('names are what kubectl takes', async () => {
    const names = 'statefulmigration.migration.ms2m.io/';
    expect((await printed('migrate list -A -o name')).split('\n').toSorted()).toEqual([
      '',
      `${names}one`,
      `${names}two`,
    ]);
    expect(await printed('migrate list -n shop -o custom-columns=N:.name,TO:.to')).toBe(
      'N     TO\none   node-2\n',
    );
  });

  test('another form is a mistake in one line', async () => {
    const { code, err } = await runLine('migrate list -o xml', folder, env);
    expect(code).toBe(1);
    expect(err).toBe(
      "kubewright: option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are wide, name, json, yaml, jsonpath=, custom-columns=. (see --help)\n",
    );
  });

  describe('--watch', () => {
    const ended: (() => Promise<number>)[] = [];
    afterEach(async () => {
      await Promise.all(ended.splice(0).map((end) => end()));
    });

    /** What a list prints while it runs, and after something new. */
    function watching(options: string) {
      const stop = new AbortController();
      let out = '';
      const terminal = { out: (text: string) => void (out += text), err: () => undefined, colour: false };
      const args = `migrate list -n shop -w ${options} --kubeconfig ${join(folder, 'kc')}`.trim().split(/ +/);
      const code = runCommand(args, { ...terminal, env, cwd: folder, signal: stop.signal });
      const end = () => (stop.abort(), code);
      ended.push(end);
      return {
        end,
        prints: (text: RegExp) => vi.waitFor(() => expect(out).toMatch(text), { timeout: 30_000 }),
      };
    }

    test('prints what changes below, until it is interrupted', async () => {
      const { end, prints } = watching('');
      await prints(/^NAME .*\none /);
      await client.create<KubeObject>(STATEFUL_MIGRATIONS, migration('shop', 'three'));
      await prints(/^NAME .*\none .*\nthree +consumer-0[^\n]*\n$/);
      expect(INTERRUPTED).toContain(await end());
    });

    test.each([
      ['json', /^\{\n[^[]*^\}\n\{\n[^[]*"name": "late-json"[^[]*^\}\n$/m],
      ['yaml', /^[^-][^]*^---\n[^]*^name: late-yaml$/m],
      ['name', /^(statefulmigration.migration.ms2m.io\/[a-z-]+\n)+.*late-name\n$/],
      ['custom-columns=N:.name', /^N\n([a-z-]+\n)+late-custom-columns\n$/],
      ['jsonpath={.name}!', /^([a-z-]+!)+late-jsonpath!$/],
    ])('with -o %s prints each one for itself, as kubectl does', async (form, printed) => {
      const { end, prints } = watching(`-o ${form}`);
      await prints(/one/);
      const name = `late-${form.split('=')[0] ?? ''}`;
      await client.create<KubeObject>(STATEFUL_MIGRATIONS, migration('shop', name));
      await prints(printed);
      expect(INTERRUPTED).toContain(await end());
    });
  });
});

describe('objects are named as kubectl names them', () => {
  const forms = ['migrate state sm/one', 'migrate state statefulmigration.migration.ms2m.io/one'];

  test.each([...forms, 'migrate state statefulmigrations one', 'migrate state one'])('%s', async (line) => {
    const { code, err } = await run(`${line} -n shop`);
    expect([code, err]).toEqual([1, expect.stringContaining('one has taken no state')]);
  });

  test('in two words, where any kind can be named', async () => {
    const one = await printed('owners statefulmigration/one -n shop');
    expect(await printed('owners statefulmigration one -n shop')).toBe(one);
    expect(await printed('owners sm one spec.targetNode -n shop')).toBe(
      await printed('owners sm/one spec.targetNode -n shop'),
    );
  });

  test('a word too many is a mistake in one line', async () => {
    for (const line of ['owners deployment web spec.replicas more', 'migrate state sm one two']) {
      const { code, err } = await run(line);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/^kubewright: too many arguments for [^\n]*\n$/),
      ]);
    }
  });
});
