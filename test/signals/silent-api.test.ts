import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../packages/kubewright/src/cli/create-program.ts';
import { some } from '../support/seeds.ts';
import { type SilentPeer, silentApi, silentSocket, writeKubeconfigFor } from './silent-peer.ts';
import { startSignalled } from './signalled-command.ts';

/** Arguments with which each command of the command line makes a request; \`-\`: it makes none. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  up: '-',
  cluster: '-',
  apiserver: '-',
  envtest: '-',
  install: 'install --apply',
  completion: '-',
  'new operator': '-',
  'generate manifests': '-',
  'generate image': '-',
  'drift backend': '-',
  'drift manifests': '-',
  'migrate agent': '-',
  doctor: 'doctor',
  version: 'version',
  uninstall: 'uninstall --yes',
  demo: 'demo ownership',
  manager: 'manager --no-leader-elect --webhook-port 0',
  'schema import': 'schema import -o out.json',
  'capture namespace': 'capture namespace shop',
  'capture pvc': 'capture pvc data',
  'capture application': 'capture application shop',
  'capture list': 'capture list',
  'capture show': 'capture show cp',
  'capture export': 'capture export cp target',
  'capture remove': '-',
  'capture import': '-',
  'capture verify': 'capture verify cp',
  'capture diff': 'capture diff cp',
  'capture restore': 'capture restore cp --yes',
  'capture keep': 'capture keep cp',
  'class list': 'class list',
  'class show': 'class show cart',
  'class explain': 'class explain cart',
  'class deploy': 'class deploy -f class.yaml',
  'class plot': 'class plot cart',
  'class doctor': 'class doctor cart --prometheus http://127.0.0.1:1',
  'drift list': 'drift list',
  'drift show': 'drift show configmap/web',
  'drift explain': 'drift explain configmap/web',
  'drift simulate': 'drift simulate -f policy.yaml',
  'drift plan': 'drift plan terraform/network -f plan.json',
  'drift approve': 'drift approve configmap/web',
  'drift reject': 'drift reject configmap/web',
  'drift freeze': 'drift freeze configmap/web',
  'drift unfreeze': 'drift unfreeze configmap/web',
  'drift snooze': 'drift snooze configmap/web',
  'drift doctor': 'drift doctor',
  'drift webhook': 'drift webhook --cert-dir .',
  'drift controller': 'drift controller --health-probe-bind-address 0 --metrics-bind-address 0',
  'migrate pod': 'migrate pod a --to n --queue q --exchange e --broker amqp://b',
  'migrate plan': 'migrate plan a --to n --queue q --exchange e --broker amqp://b',
  'migrate abort': 'migrate abort a',
  'migrate list': 'migrate list',
  'migrate state': 'migrate state a',
  drain: 'drain node-1',
  owners: 'owners configmap/web',
  'owners scan': 'owners scan',
  'owners plan': 'owners plan configmap/web --to a',
  'owners migrate': 'owners migrate configmap/web --to a --yes',
  'owners release': 'owners release configmap/web --fields data --to a --yes',
  'owners remove': 'owners remove configmap/web --fields data --yes',
  apply: 'apply -f maps.yaml --yes',
};
/** They serve until a signal: then they have done what they should. */
const SERVERS = ['manager', 'drift webhook', 'drift controller'];

const commands = Object.keys(ARGUMENTS).filter((name) => ARGUMENTS[name] !== '-');
let folder: string;
let peers: Readonly<Record<'requests' | 'connections', SilentPeer>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-signals-'));
  peers = { requests: await silentApi(), connections: await silentSocket() };
  for (const [name, { port }] of Object.entries(peers)) writeKubeconfigFor(port, join(folder, name));
  const metadata = { name: 'web', namespace: 'default' };
  const files = {
    'class.yaml': { apiVersion: 'oaas.io/v1alpha1', kind: 'ClassRuntime', metadata, spec: {} },
    'policy.yaml': {
      apiVersion: 'kausality.io/v1alpha1',
      kind: 'ApprovalPolicy',
      metadata,
      spec: { users: ['a'], rules: [] },
    },
    'maps.yaml': { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    'plan.json': { format_version: '1.2', timestamp: '2026-01-01T00:00:00Z', resource_changes: [] },
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
});
afterAll(async () => {
  await Promise.all(Object.values(peers).map((peer) => peer.close()));
  rmSync(folder, { recursive: true });
});

type Command = ReturnType<typeof createProgram>;

function leaves(command: Command, path: readonly string[] = []): readonly string[] {
  const visible = command.commands.filter((one) => one.name() !== 'help');
  if (visible.length === 0) return [path.join(' ')];
  return visible.flatMap((one) => leaves(one, [...path, one.name()]));
}

test('every command is tried, or makes no request', () => {
  const program = createProgram({
    out: () => {},
    err: () => {},
    colour: false,
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
  });
  expect(leaves(program).filter((name) => !(name in ARGUMENTS))).toEqual([]);
});

describe.each(['requests', 'connections'] as const)(
  'an API server that takes %s and never responds',
  (state) => {
    test.each(some(state === 'requests' ? 8 : 3, commands))('%s ends at the first signal', async (name) => {
      const peer = peers[state];
      const arrived = peer.arrival();
      const args = [...(ARGUMENTS[name] ?? '').split(' '), '--kubeconfig', state];
      const command = startSignalled(args, { cwd: folder });
      const early = await Promise.race([arrived, command.ended.code]);
      expect(early, command.err).toBe(undefined);
      command.signal(name.length % 2 === 0 ? 'SIGINT' : 'SIGTERM');
      // The server is still silent.
      expect(await command.ended.code, command.err).toBe(SERVERS.includes(name) ? 0 : 130);
      expect(command.err).not.toMatch(/still open/);
      if (!SERVERS.includes(name)) expect(command.err).toMatch(/interrupted/);
    });
  },
);
