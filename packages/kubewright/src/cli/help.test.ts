import { OPERATORS } from '@kubewright/operators/list';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from './create-program.ts';
import { runCommand } from './main.ts';
import type { Terminal } from '../terminal.ts';
import { runLine } from './testing/run-line.ts';

const NOWHERE: Terminal = {
  out: () => undefined,
  err: () => undefined,
  colour: false,
  env: {},
  cwd: '/',
  signal: new AbortController().signal,
};

/** The words of each command: `['drift', 'list']`. */
function allCommands(command: Command, words: readonly string[] = []): readonly (readonly string[])[] {
  return [words, ...command.commands.flatMap((one) => allCommands(one, [...words, one.name()]))];
}
const COMMANDS = allCommands(createProgram(NOWHERE));

async function helpOf(args: readonly string[], width?: number): Promise<string> {
  let out = '';
  const terminal = { ...NOWHERE, out: (text: string) => void (out += text), ...(width && { width }) };
  expect(await runCommand(args, terminal)).toBe(0);
  return out;
}

const tooLong = (text: string, width: number): readonly string[] =>
  text.split('\n').filter((line) => line.length > width);

describe('help', () => {
  test('teaches by examples, and is no failure', async () => {
    expect(await helpOf(['--help'])).toContain('kubewright owners deployment/web');
  });

  test('of every command keeps within 80 columns, and on a wide terminal within 100', async () => {
    for (const words of COMMANDS)
      for (const [width, most] of [
        [undefined, 80],
        [80, 80],
        [220, 100],
      ] as const)
        expect(tooLong(await helpOf([...words, '--help'], width), most), words.join(' ')).toEqual([]);
  });

  test('names the verbs of a group', async () => {
    expect((await helpOf(['--help'], 100)).replaceAll(/\s+/g, ' ')).toContain('verbs: list, show, explain,');
  });

  test('of a verb is that of the verb: help drift list', async () => {
    expect(await helpOf(['help', 'drift', 'list'])).toBe(await helpOf(['drift', 'list', '--help']));
    expect(await helpOf(['help'])).toBe(await helpOf(['--help']));
    const { code, err } = await runLine('help drift weave');
    expect([code, err]).toEqual([1, "kubewright: unknown command 'drift weave' (see --help)\n"]);
  });
});

describe.each(['up', 'manager', 'install'])('the settings of operators, for %s', (command) => {
  test('are listed by --help-settings, which help names', async () => {
    const listed = await helpOf([command, '--help-settings']);
    const text = listed.replaceAll(/\s+/g, ' ');
    for (const [name, help] of OPERATORS.flatMap(({ settings = {} }) => Object.entries(settings)))
      expect(text).toContain(`${name} ${help}`);
    expect(tooLong(listed, 80)).toEqual([]);
    const help = await helpOf([command, '--help']);
    expect(help).toContain('--help-settings');
    expect(help).not.toContain('MIGRATING_FIELDS');
  });
});
