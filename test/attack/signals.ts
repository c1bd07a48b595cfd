import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SilentPeer, silentApi, silentSocket, writeKubeconfigFor } from '../signals/silent-peer.ts';
import { type SignalledCommand, startSignalled } from '../signals/signalled-command.ts';
import { type Attack, inputs } from './attack.ts';

/** A command, the state in which it is interrupted, and the exit code that it should have then. */
type Case = { readonly line: string; readonly state: State; readonly code: 0 | 130 };
type State = 'an API that takes requests' | 'an API that takes connections' | 'ready' | 'reading' | 'playing';

const API = 'an API that takes requests';
const SOCKET = 'an API that takes connections';
const OPEN_PORT = '--port 0 --kubeconfig-out config';

/** The first three are of three kinds: the short form plays these. */
const CASES: readonly Case[] = [
  { line: 'owners configmap/web', state: API, code: 130 },
  { line: `cluster ${OPEN_PORT}`, state: 'ready', code: 0 },
  { line: 'owners -f - kind/name', state: 'reading', code: 130 },
  { line: 'apply -f map.json --yes', state: SOCKET, code: 130 },
  { line: 'capture list', state: API, code: 130 },
  { line: 'capture namespace shop', state: SOCKET, code: 130 },
  { line: 'class list', state: API, code: 130 },
  { line: 'drift freeze configmap/web', state: API, code: 130 },
  { line: 'drift list', state: SOCKET, code: 130 },
  { line: 'drain node-1', state: API, code: 130 },
  { line: 'migrate list', state: SOCKET, code: 130 },
  { line: 'manager --no-leader-elect --webhook-port 0', state: API, code: 0 },
  { line: `apiserver ${OPEN_PORT}`, state: 'ready', code: 0 },
  { line: `up --no-demo ${OPEN_PORT}`, state: 'ready', code: 0 },
  { line: 'demo migration', state: 'playing', code: 130 },
];

/** A command ends by itself within five seconds of the first signal; this is for machines that are slow. */
const PATIENCE_MS = 20_000;

type Peers = Readonly<Record<typeof API | typeof SOCKET, SilentPeer>>;

/** Somebody presses Ctrl-C, once, while a command waits for a server that is silent, serves, reads or plays. */
export const signals: Attack = {
  name: 'signals',
  about: 'a person interrupts commands that are under way, once each',
  needsInstallation: false,
  async play() {
    const peers = { [API]: await silentApi(), [SOCKET]: await silentSocket() };
    const effects: string[] = [];
    const many = inputs(2 * CASES.length);
    try {
      for (let index = 0; index < many; index++) {
        const one = CASES[index % CASES.length];
        if (one !== undefined) effects.push(...(await interrupt(one, peers)));
      }
    } finally {
      await Promise.all(Object.values(peers).map((peer) => peer.close()));
    }
    return { inputs: many, effects };
  },
};

/** What was wrong with how it ended. */
async function interrupt({ line, state, code }: Case, peers: Peers): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-attack-'));
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default' } };
  writeFileSync(join(folder, 'map.json'), JSON.stringify(map));
  const args = line.split(' ');
  try {
    if (state === API || state === SOCKET)
      args.push('--kubeconfig', writeKubeconfigFor(peers[state].port, join(folder, 'kubeconfig')));
    const arrived = state === API || state === SOCKET ? peers[state].arrival() : undefined;
    const command = startSignalled(args, { cwd: folder });
    const early = await Promise.race([
      arrived ?? underWay(command, state),
      command.ended.code.then((ended) => `${line} ended with ${ended} before any signal`),
    ]);
    return typeof early === 'string' ? [early] : faultsOf(line, await afterOne(command), code, command.err);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function underWay(command: SignalledCommand, state: State): Promise<void> {
  // More than a pipe holds: it reads.
  if (state === 'reading') await command.feed('#'.repeat(1_000_000));
  else await command.printed(state === 'ready' ? /^ready$/m : /^migration: /m);
}

type Ending = number | NodeJS.Signals | null | 'late';

/** How it ended after one signal. Nothing is left of it. */
async function afterOne(command: SignalledCommand): Promise<Ending> {
  command.signal('SIGINT');
  const late = new AbortController();
  const ending = await Promise.race<Ending>([
    command.ended.code,
    sleep(PATIENCE_MS, 'late' as const, { signal: late.signal }).catch(() => 'late' as const),
  ]);
  late.abort();
  command.signal('SIGKILL');
  await command.ended.code;
  return ending;
}

function faultsOf(line: string, ending: Ending, code: number, err: string): readonly string[] {
  if (ending === 'late') return [`${line} needed a second signal`];
  if (/still open/.test(err)) return [`${line} was cut off: ${err}`];
  return ending === code ? [] : [`${line} ended with ${ending}, not ${code}: ${err}`];
}
