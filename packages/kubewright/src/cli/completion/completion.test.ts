import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
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
  const script = `${completionScript(program, 'bash')}
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

  test('files, where a value is free', () => {
    expect(completed('owners', '--kubeconfig', 'o')).toEqual([]);
    expect(completionScript(program, 'bash')).toContain('complete -o default -F _kubewright kubewright');
  });
});

test('zsh and fish show the help of each word', () => {
  const zsh = completionScript(program, 'zsh');
  expect(zsh).toContain("'owners:show who owns which field of an object, and why a field cannot be removed'");
  expect(zsh).toContain("' owners -o' | ' owners --output') choices=(json yaml jsonpath=) ;;");
  const fish = completionScript(program, 'fish');
  expect(fish).toContain(
    "complete -c kubewright -n '__fish_seen_subcommand_from schema; and __fish_seen_subcommand_from import' -l kubeconfig -r",
  );
  expect(fish).toContain(String.raw`-d 'make the catalogue from a live cluster\'s /openapi/v3'`);
});
