import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, discoverResources } from '@kubewright/client';
import { Cluster } from '@kubewright/cluster';
import type { KubeObject } from '@kubewright/kube';
import { OPERATORS } from '@kubewright/operators';
import { Registry } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../packages/kubewright/src/cli/create-program.ts';
import { runCommand } from '../../packages/kubewright/src/cli/main.ts';
import { runOperators } from '../../packages/kubewright/src/run/run-operators.ts';
import { writeKubeconfig } from '../../packages/kubewright/src/run/kubeconfig-file.ts';
import type { Terminal } from '../../packages/kubewright/src/terminal.ts';
import { commandLines, type Files, type Line } from './command-lines.ts';
import { FORMS, MARKER, PLACE, plant, REJECTED } from './planted.ts';

let folder = '';
let files: Files;
let cluster: Cluster;
let client: Client;
let logs = '';
const stop = new AbortController();
let ended: Promise<void> = Promise.resolve();
const registry = new Registry();

function terminalFor(signal: AbortSignal, print: (text: string) => void): Terminal {
  const env = { HOME: folder, KUBECONFIG: files.kubeconfig };
  return { out: print, err: print, progress: print, colour: false, env, cwd: folder, signal };
}

async function run({ args, interrupt }: Line): Promise<string> {
  const signal = new AbortController();
  let printed = '';
  const print = (text: string): void => {
    printed += text;
    if (interrupt?.test(printed) === true) signal.abort();
  };
  await runCommand(
    ['completion', 'install', 'schema'].includes(args[0] ?? '') ? args : withNamespace(args),
    terminalFor(signal.signal, print),
  );
  return printed;
}

/** Commands of operators work in a namespace. */
function withNamespace(args: readonly string[]): readonly string[] {
  const isOfOperator = OPERATORS.some(({ commands = [] }) =>
    commands.some(({ name }) => name.split(' ')[0] === args[0]),
  );
  return isOfOperator && !['webhook', 'controller', 'backend', 'manifests', 'agent'].includes(args[1] ?? '')
    ? [...args, '-n', PLACE]
    : args;
}

function leaked(text: string): readonly string[] {
  return text.split('\n').filter((row) => FORMS.some((form) => row.includes(form)));
}

type Command = ReturnType<typeof createProgram>;

function verbsOf(command: Command, before: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((one) => {
    const path = [...before, one.name()];
    const inner = verbsOf(one, path);
    // `owners` is a verb, and has verbs.
    const isVerb = inner.length === 0 || one.registeredArguments.length > 0;
    return isVerb && one.name() !== 'help' ? [path.join(' '), ...inner] : inner;
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-markers-'));
  const at = (name: string): string => join(folder, name);
  files = {
    manifests: at('manifests'),
    broken: at('broken.yaml'),
    kubeconfig: at('kubeconfig'),
    config: at('token.yaml'),
    out: at('out'),
  };
  mkdirSync(files.manifests);
  for (const [index, object] of REJECTED.entries())
    writeFileSync(join(files.manifests, `${index}.yaml`), JSON.stringify(object));
  writeFileSync(files.broken, `users:\n- password: "${MARKER}\n  ${MARKER}: [`);
  writeFileSync(files.config, `users:\n- name: u\n  user: {token: ${MARKER}, password: "${MARKER}}`);
  cluster = await Cluster.start({ nodes: { nodes: 1 }, listen: { port: 0 } });
  await writeKubeconfig(files.kubeconfig, cluster.server.kubeconfig(), folder);
  client = createClient(cluster.transport());
  const terminal = terminalFor(stop.signal, (text) => void (logs += text));
  const connect = (user: Parameters<Cluster['transport']>[0]) => cluster.transport(user);
  const running = await runOperators(
    { operators: OPERATORS, bare: cluster.transport(), connect, registry },
    terminal,
  );
  ({ ended } = running);
  await plant(client);
}, 60_000);
afterAll(async () => {
  stop.abort();
  await ended;
  await cluster?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe('nothing that somebody keeps secret is printed', () => {
  it('by any command, however it ends', async () => {
    const found: string[] = [];
    const entries = commandLines(files);
    expect(Object.keys(entries).toSorted()).toEqual(
      verbsOf(createProgram(terminalFor(stop.signal, () => undefined))).toSorted(),
    );
    for (const [verb, lines] of Object.entries(entries))
      for (const line of lines) {
        const printed = await run(line);
        expect(printed, verb).not.toBe('');
        if (line.prints === undefined)
          found.push(...leaked(printed).map((row) => `${line.args.join(' ')}: ${row}`));
      }
    expect(found).toEqual([]);
  }, 120_000);

  it('by any operator: in its log, its metrics, Events, and the statuses of all objects', async () => {
    await vi.waitFor(
      async () => {
        const slice = await client.get(
          { group: 'eno.azure.io', version: 'v1', kind: 'ResourceSlice' },
          { namespace: PLACE, name: 'slice' },
        );
        const { resources = [] } = (slice['status'] ?? {}) as {
          resources?: readonly { reconciliationError?: string }[];
        };
        expect(
          resources.filter(({ reconciliationError }) => reconciliationError !== undefined).length,
        ).toBeGreaterThan(2);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(leaked(logs)).toEqual([]);
    expect(leaked(await registry.metrics())).toEqual([]);
    const { resources } = await discoverResources(cluster.transport());
    const found: string[] = [];
    for (const { ref, verbs } of resources.filter((one) => one.verbs.includes('list'))) {
      expect(verbs).toContain('list');
      const { items } = await client.list<KubeObject>(ref);
      for (const object of items)
        for (const row of leaked(JSON.stringify(reported(object)))) found.push(`${object.kind}: ${row}`);
    }
    expect(found).toEqual([]);
  }, 60_000);
});

/** What others than its author say of an object: its status, and the whole of what is a report. */
function reported(object: KubeObject): unknown {
  return ['Event', 'DecisionLog'].includes(object.kind) ? object : (object['status'] ?? {});
}
