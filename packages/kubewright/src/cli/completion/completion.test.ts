import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../create-program.ts';
import { completionScript } from './completion-script.ts';

const program = createProgram({
  out: () => undefined,
  err: () => undefined,
  colour: false,
  env: {},
  cwd: '/',
  signal: new AbortController().signal,
});

/** What bash completes when the cursor is at the end of these words. */
function completed(...words: readonly string[]): readonly string[] {
  // In the place of the program: what it is called with.
  const stub = `kubewright() { shift; for word; do printf 'asked:%s\\n' "$word"; done; }`;
  const script = `${completionScript(program, 'bash')}
    ${stub}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kubewright; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', 'kubewright', ...words], { encoding: 'utf8' });
  return out.split('\n').filter((word) => word !== '');
}

describe('bash completes', () => {
  test('commands', () => {
    expect(completed('')).toEqual(
      expect.arrayContaining(['up', 'demo', 'manager', 'owners', 'schema', '--version']),
    );
    expect(completed('ma')).toEqual(['manager']);
    expect(completed('schema', 'i')).toEqual(['import']);
  });

  test('options of the command that was typed, and of no other', () => {
    expect(completed('up', '--n')).toEqual(['--nodes', '--no-demo']);
    expect(completed('owners', 'deployment/web', '--m')).toEqual(['--manager']);
    expect(completed('schema', 'import', '--k')).toEqual(['--kubeconfig']);
  });

  test('values that are known', () => {
    expect(completed('owners', '-o', '')).toEqual(['json', 'yaml', 'jsonpath=']);
    expect(completed('demo', 'o')).toEqual(['ownership']);
    expect(completed('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  test('what "kubewright __complete" prints, where only a cluster knows', () => {
    expect(completed('drift', 'list', '-n', 'a')).toEqual([
      'asked:drift',
      'asked:list',
      'asked:-n',
      'asked:a',
    ]);
    expect(completed('owners', 'as')).toEqual(['asked:owners', 'asked:as']);
    expect(completed('owners', '--context', 'as')).toEqual(expect.arrayContaining(['asked:--context']));
    expect(completed('owners', '--')).not.toEqual(expect.arrayContaining(['asked:owners']));
    expect(completed('owners', '-o', '')).toEqual(['json', 'yaml', 'jsonpath=']);
  });

  test('files, where a value is free', () => {
    expect(completed('owners', '--kubeconfig', 'o')).toEqual([]);
    expect(completionScript(program, 'bash')).toContain('complete -o default -F _kubewright kubewright');
  });
});

test('zsh and fish show the help of each word', () => {
  const zsh = completionScript(program, 'zsh');
  expect(zsh).toContain("'owners:show who owns which field of an object, and why a field cannot be removed'");
  expect(zsh).toContain("' owners -o' | ' owners --output') choices=(json yaml jsonpath=) live= ;;");
  const fish = completionScript(program, 'fish');
  expect(fish).toContain(
    "complete -c kubewright -n '__fish_seen_subcommand_from schema; and __fish_seen_subcommand_from import' -l kubeconfig -r",
  );
  expect(fish).toContain(String.raw`-d 'make the catalogue from a live cluster\'s /openapi/v3'`);
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const needs = (shell: string): string => (has(shell) ? '' : ` [needs ${shell}]`);

test.skipIf(!has('zsh'))(
  `zsh completes words that are known, and what a cluster knows${needs('zsh')}`,
  () => {
    const completedByZsh = (...words: readonly string[]): readonly string[] => {
      const script = `compdef() { : }; _files() { : }; _describe() { print -rl -- "\${(@P)2}" }
      kubewright() { shift; print -rl -- asked:$^@ }
      ${completionScript(program, 'zsh')}
      words=(kubewright "$@"); CURRENT=\${#words}; _kubewright`;
      const out = execFileSync('zsh', ['-fc', script, 'zsh', ...words], { encoding: 'utf8' });
      return out.split('\n').filter((word) => word !== '');
    };
    expect(completedByZsh('demo', 'o')).toContain('ownership');
    // What stands behind a colon would be help.
    expect(completedByZsh('drift', 'list', '-n', 'a')).toEqual(
      ['drift', 'list', '-n', 'a'].map((word) => `asked\\:${word}`),
    );
    expect(completedByZsh('owners', 'as')).toContain('asked\\:owners');
  },
);

test.skipIf(!has('fish'))(
  `fish completes words that are known, and what a cluster knows${needs('fish')}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-fish-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const completedByFish = (line: string): readonly string[] => {
      // Too long for an argument.
      const file = join(folder, 'completion.fish');
      const stub = `function kubewright; printf 'asked:%s\\n' $argv[2..]; end\n`;
      writeFileSync(file, `${stub}${completionScript(program, 'fish')}`);
      const args = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, line];
      const out = execFileSync('fish', args, { env: { ...process.env, HOME: folder }, encoding: 'utf8' });
      return out.split('\n').map((each) => each.split('\t', 1)[0] ?? '');
    };
    expect(completedByFish('kubewright demo o')).toContain('ownership');
    expect(completedByFish('kubewright drift list -n ask')).toEqual(
      expect.arrayContaining(['asked:drift', 'asked:ask']),
    );
    expect(completedByFish('kubewright owners as')).toContain('asked:owners');
    expect(completedByFish('kubewright owners --manager as')).not.toContain('asked:owners');
  },
);
