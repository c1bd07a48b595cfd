import { AssertionError } from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATORS } from '@kubewright/operators';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKubectl } from '../tools/assets/find.mjs';

const ROOT = new URL('..', import.meta.url);
const CLI = fileURLToPath(new URL('packages/kubewright/bin/kubewright.mjs', ROOT));
const isBuilt = existsSync(new URL('packages/kubewright/dist/bundle/main.js', ROOT));
const kubectl = findKubectl();
const README = readFileSync(new URL('README.md', ROOT), 'utf8');
const playable = OPERATORS.filter(({ demo }) => demo !== undefined).map(({ name }) => name);

let folder: string;
let child: ChildProcess | undefined;
let out: string;
let err: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-start-'));
  mkdirSync(join(folder, 'tmp'));
  mkdirSync(join(folder, 'work'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const inFolder = (name: string): string => join(folder, name);

/** Wrapped, because a promise would be waited for. */
type Running = { readonly ended: Promise<number | null> };

/** `kubewright up` with temporary files in a folder of its own; resolves when it has printed \`text\`. */
async function up(text: RegExp): Promise<Running> {
  out = '';
  err = '';
  const env = { ...process.env, TMPDIR: inFolder('tmp') };
  const started = spawn(process.execPath, [CLI, 'up', '--port', '0'], { cwd: inFolder('work'), env });
  child = started;
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
  started.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    started.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (text.test(out)) resolve();
    });
    void ended.then(() => reject(new AssertionError({ message: `it ended: ${err}` })));
  });
  return { ended };
}

/** What Ctrl-C leaves: nothing. */
async function interrupt({ ended }: Running): Promise<void> {
  const port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(out)?.[1] ?? 0);
  const children = childrenOf(child?.pid ?? 0);
  child?.kill('SIGINT');
  expect(await ended, err).toBe(0);
  expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect(readdirSync(inFolder('work'))).toEqual([]);
  expect(readdirSync(inFolder('tmp'))).toEqual([]);
  if (port !== 0) await expect(connection(port)).rejects.toThrow('ECONNREFUSED');
}

/** Where there is no /proc, none are known. */
function childrenOf(pid: number): readonly string[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list)
    ? readFileSync(list, 'utf8')
        .split(' ')
        .filter((one) => one !== '')
    : [];
}

function connection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

/** Runs a line as people would, in a shell where the package is installed. A watch would not end. */
function runLine(line: string): string {
  const npx = `npx() { [ "$1" = kubewright ] && shift; '${process.execPath}' '${CLI}' "$@"; }`;
  const env = {
    ...process.env,
    PATH: `${dirname(kubectl ?? '')}${delimiter}${process.env['PATH']}`,
    KUBECONFIG: join(inFolder('work'), '.kubewright/kubeconfig'),
  };
  const text = line.replace(/ -w$/, '');
  return execFileSync('bash', ['-c', `${npx}\n${text}`], { env, encoding: 'utf8', cwd: inFolder('work') });
}

const COMMAND = /^ *((?:npx kubewright|kubectl) .*)$/gm;
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(COMMAND)].map(([, line = '']) => line);

const title = 'npm start, once built';
describe.skipIf(!isBuilt)(isBuilt ? title : `${title} [needs npm run build]`, () => {
  test('Ctrl-C in the middle of the demos leaves nothing', async () => {
    await interrupt(await up(new RegExp(`^${playable[0]}: `, 'm')));
  });

  const needs = kubectl === undefined ? " [what it suggests needs kubectl: Debian's, or npm run assets]" : '';
  test(`plays every demo; what it and the README suggest works; Ctrl-C leaves nothing${needs}`, async () => {
    const running = await up(/^ready$/m);
    // On a busy machine a response may take too long, once: that is reported, and tried again.
    expect(err.split('\n').filter((line) => !line.includes('"no response within '))).toEqual(['']);
    const titles = OPERATORS.flatMap(({ name, demo }) =>
      demo === undefined ? [] : [`\n${name}: ${demo.title}\n`],
    );
    const places = titles.map((one) => out.indexOf(one));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    const blocks = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    const lines = [
      ...commandsIn(out.slice(out.indexOf('Try, in another terminal'))),
      ...blocks.flatMap(commandsIn),
    ];
    expect(lines.length).toBeGreaterThan(4);
    if (kubectl !== undefined) for (const line of new Set(lines)) expect(runLine(line), line).not.toBe('');
    await interrupt(running);
  });
});

test('the demos that the README names are there', () => {
  const named = [...README.matchAll(/`npx kubewright demo (\w+)`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(0);
  expect(playable).toEqual(expect.arrayContaining(named));
});
