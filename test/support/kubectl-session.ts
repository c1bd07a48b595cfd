import { AssertionError } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { compareText } from '@kubewright/kube';

/** One command of a session and what it prints; `out` and `err` are normalised. */
export type CommandResult = {
  readonly cmd: string;
  readonly rc: number;
  readonly out: string;
  readonly err: string;
};

type SessionStep = { readonly cmd: string; readonly stdin: string; readonly compared: boolean };

const COMMAND_TIMEOUT_MS = 100_000;

/** What differs from run to run, in the order in which it is replaced; as in goldens/kubectl/session.py. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/(resourceVersion\\?"?:? *\\?"?)\d+/gi, '$1<rv>'],
  // Not what follows a hyphen: a generated name may end with `-5252s`.
  [/(?<!-)\b\d+(s|m|h|d)(\d+(s|m|h))?( ago)?\b/g, '<age>'],
  [/<invalid>/g, '<age>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'https://<server>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [/\/tmp\/\S+/g, '<tmp>'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [0-9:]+ [+-]\d{4}/g, '<time>'],
  [/^[EWIF]\d{4} .*$\n?/gm, ''],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, '<time>'],
  [/\bg-[a-z0-9]{5}\b/g, 'g-<rand>'],
  [/("continue": ?")[^"]+/g, '$1<token>'],
  [/nodePort: \d+/gi, 'nodePort: <port>'],
  [/(version in record \()\d+/gi, '$1<rv>'],
  // kubectl 1.33 and later print the namespace of a deletion; the goldens were recorded with 1.32.
  [/ deleted from \S+ namespace$/gm, ' deleted'],
];

function sortedLines(block: string): string {
  const lines = block.replace(/\n$/, '').split('\n');
  return lines
    .toSorted()
    .map((line) => `${line}\n`)
    .join('');
}

/** A command's output without times, uids, versions, random names and ages. */
export function normalise(text: string): string {
  const replaced = VARYING.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
  return replaced
    .replace(/(?:^\* .*\n?)+/gm, sortedLines)
    .replace(/[ \t]+/g, ' ')
    .replace(/ +$/gm, '');
}

/** Blocks divided by `%%`: arguments of kubectl, then standard input. `?` runs a command without comparing it. */
function parseSteps(text: string): SessionStep[] {
  const blocks = text.split('\n%%\n').map((block) => block.replace(/^\n+|\n+$/g, ''));
  return blocks
    .filter((block) => block !== '')
    .map((block) => {
      const end = block.indexOf('\n');
      const first = end < 0 ? block : block.slice(0, end);
      return {
        cmd: first.replace(/^[? ]+/, ''),
        stdin: end < 0 ? '' : block.slice(end + 1),
        compared: !first.startsWith('?'),
      };
    });
}

function run(step: SessionStep, env: NodeJS.ProcessEnv, cwd: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `kubectl ${step.cmd}`], { env, cwd, detached: true });
    // The whole group: a shell that dies leaves kubectl, or what kubectl started, with the pipes open.
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), COMMAND_TIMEOUT_MS);
    const output = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.err += text;
    });
    child.stdin.on('error', () => undefined).end(step.stdin);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === null) {
        reject(
          new AssertionError({
            message: `did not end in ${COMMAND_TIMEOUT_MS / 1000} s: kubectl ${step.cmd}`,
          }),
        );
        return;
      }
      resolve({
        cmd: step.cmd,
        rc: code,
        out: normalise(output.out),
        err: normalise(output.err),
      });
    });
  });
}

/**
 * Runs a session, one command after the other, in an empty folder that it may write to. Returns the results that are
 * compared.
 */
export async function runSession(
  kubectl: string,
  kubeconfig: string,
  steps: string,
): Promise<CommandResult[]> {
  // kubectl caches discovery by host and port, and a port comes round again.
  const home = mkdtempSync(join(tmpdir(), 'kubewright-kubectl-'));
  const env = {
    ...process.env,
    PATH: `${dirname(kubectl)}${delimiter}${process.env['PATH']}`,
    HOME: home,
    KUBECONFIG: kubeconfig,
    KUBECTL_EXPLAIN_OPENAPIV3: 'true',
  };
  const results: CommandResult[] = [];
  try {
    for (const step of parseSteps(steps)) {
      const result = await run(step, env, home);
      if (step.compared) results.push(result);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return results;
}

const GOLDENS = new URL('../../goldens/', import.meta.url);

/** The recorded sessions: the folders `kubectl` and `kubectl-*` of `goldens/`. */
export function recordedSessions(): string[] {
  return readdirSync(GOLDENS)
    .filter((name) => /^kubectl(-|$)/.test(name) && existsSync(sessionFile(name, 'golden.json')))
    .toSorted();
}

/** The file `steps.txt` or `golden.json` of a session. */
export function sessionFile(session: string, file: 'steps.txt' | 'golden.json'): URL {
  return new URL(`${session}/${file}`, GOLDENS);
}

/** A session's steps and their recorded output. */
export function readRecording(session: string): {
  readonly steps: string;
  readonly golden: readonly CommandResult[];
} {
  const read = (file: 'steps.txt' | 'golden.json'): string =>
    readFileSync(sessionFile(session, file), 'utf8');
  return { steps: read('steps.txt'), golden: JSON.parse(read('golden.json')) as CommandResult[] };
}

type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

/** Keys in one order, and managed fields, which are ordered by seconds of time, in another. */
function ordered(tree: Tree, key = ''): Tree {
  if (Array.isArray(tree)) {
    const items = tree.map((item: Tree) => ordered(item));
    const text = (item: Tree): string => JSON.stringify(item);
    return key === 'managedFields' ? items.toSorted((a, b) => compareText(text(a), text(b))) : items;
  }
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([name, value]) => [name, ordered(value, name)]));
}

function parsed(text: string): Tree | undefined {
  try {
    return JSON.parse(text) as Tree;
  } catch {
    return undefined;
  }
}

/** JSON, or several lines of it, with its keys in order; any other text as it is. */
function canonicalJson(text: string): string {
  if (!text.startsWith('{')) return text;
  const whole = parsed(text);
  if (whole !== undefined) return `${JSON.stringify(ordered(whole), undefined, 1)}\n`;
  const lines = text.split('\n').filter((line) => line !== '');
  const documents = lines.map(parsed).filter((document) => document !== undefined);
  if (documents.length < lines.length) return text;
  return documents.map((document) => `${JSON.stringify(ordered(document))}\n`).join('');
}

/**
 * A result without what is random: `describe configmap` prints its data as a Go map comes, and the order of
 * keys in JSON is nobody's promise.
 */
export function comparable(result: CommandResult): CommandResult {
  const out = result.cmd.startsWith('describe cm ') ? sortedLines(result.out) : result.out;
  return { ...result, out: canonicalJson(normalise(out)), err: normalise(result.err) };
}
